"""What columns can hold, said column by column: numbers between two bounds, values, or a tree file.

Nothing is proposed from the table: what it happens to hold is what differential privacy must not tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import events, ui

from paravent.errors import ParaventError
from paravent.hierarchy.files import read_tree
from paravent.methods.synthetic.coding import coding_of
from paravent.web.aside import aside
from paravent.web.page import Page
from paravent.web.parts.anew import piece
from paravent.web.parts.text import box, button, text
from paravent.web.roles import role_in

KINDS = ("bounds", "values", "tree")
_LARGEST = 16 << 20


def kind_of(told: Any) -> str:
    """
    >>> kind_of({"from": 0, "to": 120}), kind_of(["f", "m"]), kind_of("sources/ab.csv")
    ('bounds', 'values', 'tree')
    """
    return "bounds" if isinstance(told, Mapping) else "tree" if isinstance(told, str) else "values"


class Domains:
    """The form. `changed` gets what is said of all columns, once it is right; until then the reason stands there."""

    def __init__(
        self, page: Page, told: Mapping[str, Any], columns: Sequence[str], changed: Callable[[dict[str, Any]], None]
    ) -> None:
        self.page, self.say, self.changed = page, page.say, changed
        self.told = dict(told)
        self.kinds = {name: kind_of(value) for name, value in self.told.items()}
        plan = page.document.plan
        self.columns = [name for name in columns if role_in(plan, name) not in ("identifier", "drop")]
        with box("pv-domains", "section"):
            text(self.say("domains.title"), "h3")
            text(self.say("domains.help"), "p", "pv-small")
            self._entries()

    @piece
    def _entries(self) -> None:
        say = self.say
        for name in self.kinds:
            self._entry(name)
        left = [name for name in self.columns if name not in self.kinds]
        if left:
            label = say("domains.add")
            select = ui.select(left, label=label, with_input=True, on_change=lambda event: self._add(event.value))
            select.props("outlined dense").classes("pv-form__field").props["data-keep"] = "add domain"

    def _entry(self, name: str) -> None:
        say, kind = self.say, self.kinds[name]
        with box("pv-entry", "fieldset"):
            text(name, "legend", "pv-strong pv-break")
            with box("pv-row"):
                kinds = {each: say(f"domains.{each}") for each in KINDS}
                choice = ui.select(
                    kinds,
                    value=kind,
                    label=say("domains.kind", column=name),
                    on_change=lambda event: self._choose(name, event.value),
                )
                choice.props("outlined dense").classes("pv-form__field").props["data-keep"] = f"domain {name} kind"
                label = say("domains.remove", column=name)
                button("", lambda: self._remove(name), icon="close", kind="quiet", label=label)
            problem = text("", "p", "pv-small pv-warned").props('role="status"')
            {"bounds": self._bounds, "values": self._values, "tree": self._tree}[kind](name, problem)

    def _bounds(self, name: str, problem: Any) -> None:
        told = self.told.get(name)
        now: dict[str, Any] = dict(told) if isinstance(told, Mapping) else {}

        def take(key: str, value: Any) -> None:
            if value is None:
                now.pop(key, None)
            else:
                now[key] = int(value) if float(value).is_integer() else float(value)
            if "from" not in now or "to" not in now:
                problem.text = self.say("domains.bounds.needs", column=name)
                return
            self._keep(name, dict(now), problem)

        with box("pv-row"):
            for key in ("from", "to", "step"):
                label = self.say(f"domains.{key}", column=name)
                field = ui.number(label, value=now.get(key), on_change=lambda event, key=key: take(key, event.value))
                field.props("outlined dense debounce=500").classes("pv-narrow")
                field.props["data-keep"] = f"domain {name} {key}"

    def _values(self, name: str, problem: Any) -> None:
        told = self.told.get(name)
        written = "\n".join(map(str, told)) if isinstance(told, list | tuple) else ""

        def take(event: Any) -> None:
            values = [line.strip() for line in (event.value or "").splitlines() if line.strip()]
            twice = next((value for at, value in enumerate(values) if value in values[:at]), None)
            if not values:
                problem.text = self.say("domains.values.needs", column=name)
            elif twice is not None:
                problem.text = self.say("domains.values.twice", column=name, value=twice)
            else:
                self._keep(name, values, problem)

        field = ui.textarea(self.say("domains.values.field", column=name), value=written, on_change=take)
        field.props("outlined dense autogrow debounce=500").classes("pv-form__field")
        field.props["data-keep"] = f"domain {name} values"

    def _tree(self, name: str, problem: Any) -> None:
        async def take(event: events.UploadEventArguments) -> None:
            project = self.page.project
            try:
                source = project.keep_file(event.file.name, [await event.file.read()])
                own = f"sources/{source.id}"
                try:
                    leaves = len((await aside(read_tree, project.folder / own, name=name)).leaves)
                except ParaventError:
                    project.discard(source)
                    raise
            except ParaventError as error:
                problem.text = self.page.refusal(error)
                return
            finally:
                upload.reset()  # else no other file can be taken
            self.told[name] = own
            problem.text = self.say("domains.tree.read", n=leaves)
            self.changed(dict(self.told))

        if isinstance(self.told.get(name), str):
            problem.text = self.say("domains.tree.there")
        upload = ui.upload(
            auto_upload=True,
            max_files=1,
            max_file_size=_LARGEST,
            on_upload=take,
            on_rejected=lambda: problem.set_text(self.say("domains.tree.large")),
        )
        upload.props('accept=".csv,.tsv,.txt"').classes("hidden")
        label = self.say("domains.tree.field", column=name)
        button(label, lambda: upload.run_method("pickFiles"), icon="upload", keep=f"domain {name} tree")

    def _keep(self, name: str, told: Any, problem: Any) -> None:
        try:
            coding_of(name, told, 16)
        except ParaventError as error:
            problem.text = self.page.refusal(error)
            return
        problem.text = ""
        self.told[name] = told
        self.changed(dict(self.told))

    def _add(self, name: str | None) -> None:
        if name:
            self.kinds[name] = "bounds"
            self._entries.refresh()

    def _choose(self, name: str, kind: str) -> None:
        self.kinds[name] = kind
        self._forget(name)

    def _remove(self, name: str) -> None:
        del self.kinds[name]
        self._forget(name)

    def _forget(self, name: str) -> None:
        if self.told.pop(name, None) is not None:
            self.changed(dict(self.told))
        self._entries.refresh()
