"""The measures of docs/measures.md, Detection and Exposure: detection, exposure, span-level scores, cost, and their intervals."""
