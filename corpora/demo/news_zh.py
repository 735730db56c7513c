"""Chinese news: how names, dates, contacts and ids are written. No spaces, full-width punctuation."""

from __future__ import annotations

from datetime import date
from typing import Final

from corpora.demo.grammar import Gold, Value
from corpora.demo.names_zh import sample_person
from corpora.demo.news_scene import Name, NewsScene

BOOK: Final = "news_zh.txt"
WEEKDAYS: Final = "一二三四五六日"
_HONORIFIC_SHARE = 0.25
_PROVINCES: Final = "京沪苏鲁鄂湘粤川滇闽"
_PLATE_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ"


class ChineseScene(NewsScene):
    """The scene of a Chinese article."""

    def draw_person(self, sex: str, last: str) -> Name:
        """Draw from the Chinese lists."""
        return sample_person(self.rng, sex, last)

    def person(self, role: str, name: Name, form: str) -> Value:
        """Full name, later at times the surname with a title behind it (``xs``); 某 (``mou``), 老 (``lao``), 小 (``xiao``)."""
        if form == "xs" or (form == "again" and self.rng.random() < _HONORIFIC_SHARE):
            return (self.gold_person(role, name.last), "女士" if name.sex == "F" else "先生")
        surface = {
            "new": name.full,
            "again": name.full,
            "full": name.full,
            "last": name.last,
            "first": name.first,
            "mou": f"{name.last}某",
            "lao": f"老{name.last}",
            "xiao": f"小{name.last}",
        }[form]
        return self.gold_person(role, surface)

    def age(self, years: int, form: str) -> str:
        """``43岁``."""
        return f"{years}岁"

    def day(self, key: str, day: date, form: str) -> str:
        """``3月12日``, ``2019年3月12日``, ``周二`` or ``星期二``, ``2020年5月``, ``2011年``."""
        if key in ("weekday", "nextday"):
            week = WEEKDAYS[day.weekday()]
            return f"周{week}" if self.style % 2 or week == "日" else f"星期{week}"
        if key in ("year", "year2"):
            return f"{day.year}年"
        if key in ("month", "month_past"):
            return f"{day.year}年{day.month}月"
        if self.style % 3 == 0:
            return f"{day.year}年{day.month}月{day.day}日"
        return f"{day.month}月{day.day}日"

    def special(self, key: str, argument: str) -> Value | None:
        """``{streetno}``: street and house number."""
        if key == "streetno":
            return Gold(f"{self.entry('street3')[0]}{self.rng.randint(3, 388)}号", "LOCATION", f"{self.doc_id}:address")
        return None

    def make(self, kind: str) -> str:
        """Mobile and land lines, addresses at reserved domains, plates, case and account numbers in several spellings."""
        rng = self.rng
        mobile = f"1{rng.choice('35789')}{rng.randint(0, 9)}"
        middle, end = f"{rng.randint(0, 9999):04d}", f"{rng.randint(0, 9999):04d}"
        court = rng.choice(("临湖", "江岸", "东山", "城北"))
        digits = [f"{rng.randint(0, 9999):04d}" for _ in range(4)]
        made = {
            "phone": rng.choice(
                (
                    f"{mobile}{middle}{end}",
                    f"{mobile}-{middle}-{end}",
                    f"0{rng.randint(20, 29)}-8{middle[:3]}{end}",
                    f"{mobile} {middle} {end}",
                )
            ),
            "email": rng.choice(
                (f"news{end}@example.com", f"xinwen@{rng.choice(('jc', 'bh', 'xl'))}.example.net", f"rx_{middle}#example.com")
            ),
            "site": f"www.{rng.choice(('jc', 'bh', 'xl'))}{end}.example.com",
            "ref": rng.choice(
                (
                    f"（{rng.randint(2016, 2025)}）{court}刑初{rng.randint(11, 899)}号",
                    f"{rng.choice('ABKZ')}{rng.randint(10**7, 10**8 - 1)}",
                    f"{rng.randint(2016, 2025)}-{rng.randint(100, 999)}-{rng.randint(10, 99)}",
                )
            ),
            "plate": rng.choice(_PROVINCES)
            + rng.choice(_PLATE_LETTERS)
            + rng.choice(("·", "", " "))
            + rng.choice(_PLATE_LETTERS)
            + end,
            "account": rng.choice(("6222" + "".join(digits), "6222 " + " ".join(digits))),
        }
        return made[kind]

    def make_email(self, name: Name) -> str:
        """An address that does not repeat the name, as is usual with Chinese mailboxes."""
        local = f"{self.rng.choice(('lab', 'box', 'zz', 'qy'))}{self.rng.randint(1000, 99999)}"
        return f"{local}@{self.rng.choice(('example.com', 'example.net'))}"
