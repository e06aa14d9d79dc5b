"""What a text asks of the customer: its questions, and what it wants to know without a question mark.

Beside what `claims.questions` finds: 请问您：, 想先确认下使用人数, 还需要您确认一下预算, 预算多少呀～, 是自驾还是徒步, "I'd like to know your budget".
The items of a list right behind one that ends with `?` or `:` belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from shopdsl.dsl.library.answers.folding import folded
from shopdsl.dsl.library.claims import segments

_START = r"(?:\A|[,。!;:~\n ])(?:[^,。!;:\n]{1,8}前)?(?:还|也|先|就|再|只|另外|那么?|这边|我们?|,| |~){0,6}"
_TO_KNOW = "(?:知道|了解|确认|核实|核对|请教|问|咨询)(?!道?了|过|到|无误|完|更多|详情)"
_POLITELY = "(?:先|再|跟我们?|和我们?|给我们?|帮忙|简单|大概|具体)*"
_TELL = "告[诉知]|说说|说一?下|讲讲|讲一?下|描述一?下|介绍一?下|透露|提供一?下"
_CAN = "[您你]?(?:能否|可否|是否方便|方便|能不能|可不可以)"
_SOME = "(?:一?下|几|[一二两三四][点个项]|以下|下列|如下)"
_WHAT = "多少|多大|多久|多长|多高|多重|多远|几[个位人天件口号点款双条]|什么|哪|谁|怎么|如何|啥"
_THEIRS = "预算|尺码|身高|体重|人数|颜色|尺寸|型号|价位|订单号|地址"
_NO_MATTER = "不管|无论|不论|都|随便|不限|就|按|[^,。!\\n]{0,8}(?:没|不|知道|看|取决于|根据)"
_END = r"[呀呢啊哦哈么嘛吗呐~!。. ]*\Z"
_CHINESE = (
    rf"{_START}请问",
    rf"{_START}(?:{_CAN}{_POLITELY}(?:{_TELL}|提供|补充)|(?:能|可以){_POLITELY}(?:{_TELL}))",
    rf"{_START}(?:想|需要|得|要|希望)(?:先|再|[跟和向与][您你])*{_TO_KNOW}",
    rf"{_START}[跟和与向][您你][再先]?(?:确认|核实|核对|了解|请教|问){_SOME}",
    rf"{_START}(?:需要|得|要|麻烦|想?请)[您你](?:先|再|这边)*(?:确认{_SOME}|{_TELL}|提供(?!给)|补充|说明|回复|明确)",
    # 是自驾还是徒步, 您平时喜欢白色还是黑色
    rf"{_START}(?:[您你](?:平时|一般)?)?(?:是|要|想要?|需要|打算|喜欢|偏好|准备|选)[^,。;!]{{1,20}}还是(?!就)[^,。;!都]{{1,15}}{_END}",
    rf"{_START}[您你](?:想要?|要|需要|喜欢|打算|是|偏好)[^,。;!\n]{{0,8}}(?:{_WHAT})(?![^,。;!\n]*[都也])[^,。;!\n]{{0,6}}{_END}",
    rf"{_START}(?:发|报|留)(?:一?下|给?我)[您你]?的?(?:{_THEIRS})",
    # a question word, and a particle at the end
    rf"{_START}(?!{_NO_MATTER})[^,。;!\n]{{0,12}}(?:{_WHAT})[^,。;!\n]{{0,6}}[呀呢哈么嘛吗呐]{_END}",
    rf"{_START}(?:[您你]的?)?(?:大概|大致|具体|心理)?(?:{_THEIRS})(?:大概|大致|范围|方面|是|在|想?要)*(?:{_WHAT}|有没有|有无)[^,。;!\n]{{0,6}}{_END}",
)
_KNOW = r"(?:just |also |first |still |only )*(?:like|love|need|want|have) (?:first )?to (?:know|ask|hear|learn|(?:check|confirm) with you)"
_OPEN = "what's|what is|what are|what would|which|how's|how is|how many|how much|who's|who is|where's|where is|when's|when is"
_SAYS_WHAT = "your|which|what|how|who|where|when|whether|if you|a few|a couple|some|more about"
_HELLO = "(?:(?:and|so|but|first|also|ok|okay|great|sure|then),? )*"
_ENGLISH = (
    rf"(?<![a-z])(?:i|we)(?:'d| would)? {_KNOW} (?:first )?(?:about )?(?:{_SAYS_WHAT})(?![a-z])",
    rf"(?:\A|[.!,;:] )\W*{_HELLO}(?:{_OPEN}) (?:your|you|people|persons|of you|do|would|will|are)(?![a-z])(?!.*\.\Z)",
)
_ASKS = [re.compile(pattern, re.DOTALL) for pattern in (*_CHINESE, *_ENGLISH)]
# a full stop that is not Chinese makes a statement even of 预算多少
_STATED = re.compile(r"[\u3400-\u9fff]\.\Z")
_NOTHING = re.compile(
    r"need (?:to know )?(?:nothing|no (?:more|further|other))|nothing (?:more|else) (?:to|that i)|(?:don't|do not|needn't|no) need to"
    r"|我们?(?:已经?|都|也)*(?:知道|了解|清楚|明白|确认)[了到过]?[您你]|[不无](?:需要?|用|必)再?[您你]?再?(?:知道|了解|确认|提供|告[诉知])"
)
_LEADS = re.compile(r"[?:][\"')\]*_\s]*\Z")


def requests(text: str) -> list[str]:
    """The sentences that ask the customer something, and the items of a list right behind one."""
    return list(_requests(text))


def _requests(text: str) -> Iterator[str]:
    listed = False
    for segment in segments.segments(text):
        asked = _asks(segment.text)
        if asked or (listed and segment.kind == "item"):
            yield segment.text
        if segment.kind != "item":
            listed = asked and _LEADS.search(folded(segment.text)) is not None


def _asks(sentence: str) -> bool:
    low = folded(sentence)
    if "?" not in low and _NOTHING.search(low):
        return False
    if segments.asks(sentence) or segments.requests(sentence):
        return True
    return _STATED.search(low) is None and any(asks.search(low) for asks in _ASKS)
