"""The measures of MEASURES.md sections 2 and 3: detection, exposure, span-level scores, cost, and their intervals."""
