"""Every page escapes its texts, and a template names only values that it is given."""

import subprocess
import sys

from rarr.tools.pages import html_rendering
from rarr.tools.pages.html_rendering import is_web_address, render

HOSTILE = "<script>alert('x')</script>\"onmouseover=\"x' & \u202e{{ 7 * 7 }}{% raw %}"
NO_LINKS = ["javascript:alert(1)", "java\nscript:alert(1)", "data:text/html,x", "a.md", "//a.org", "http://["]


def test_texts_are_escaped_in_every_context() -> None:
    escaped = "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&#34;onmouseover=&#34;x&#39; &amp; "
    page = render("tools/pages/page.html", title=HOSTILE, styles=[], scripts=[])
    assert f"<title>{escaped}⟨U+202E⟩{{{{ 7 * 7 }}}}{{% raw %}}</title>" in page
    macro = '{% macro m(x) %}<i title="{{ x }}">{{ x }}</i>{% endmacro %}'
    template = html_rendering._environment().from_string(macro + '{{ ["<b>", m(x)]|join(x) }}{{ x ~ m(x) }}')
    html = template.render(x=HOSTILE)
    assert (html.count("<"), html.count('<i title="')) == (4, 2)


def test_every_template_loads_and_keeps_escaping_on() -> None:
    environment = html_rendering._environment()
    names = environment.list_templates(extensions=["html"])
    assert {"tools/pages/page.html", "views/notebook.html", "evals/page/report.html"} <= set(names)
    for name in names:
        assert environment.get_template(name)
        source = environment.loader.get_source(environment, name)[0]  # type: ignore[union-attr]
        assert not any(word in source for word in ("safe", "autoescape"))


def test_only_web_addresses_are_links() -> None:
    assert is_web_address("HTTP://a.org")
    assert not any(map(is_web_address, NO_LINKS))


def test_templates_are_not_loaded_before_a_page_is_drawn() -> None:
    program = "import sys, rarr.views.pages; print('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
