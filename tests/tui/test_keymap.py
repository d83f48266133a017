"""Actions are data, and their keys do not clash."""

from cutaway.tui.keymap import ACTIONS, action, bindings, clashes, key_label, keys_of, unknown_actions
from cutaway.tui.widget_keys import widget_key_ids


def test_the_default_keys_do_not_clash() -> None:
    assert clashes({}) == []


def test_each_action_is_told_by_id_title_and_tooltip() -> None:
    assert len({each.id for each in ACTIONS}) == len(ACTIONS)
    for each in ACTIONS:
        assert each.id and each.title and each.tooltip and all(each.keys)


def test_a_users_key_that_is_taken_is_reported() -> None:
    (clash,) = clashes({"view.inspector": "ctrl+o"})
    assert (
        str(clash)
        == "Key ctrl+o is given to both view.inspector and view.thinking; give one of them another key."
    )


def test_keys_of_places_that_are_never_open_together_do_not_clash() -> None:
    assert clashes({"welcome.demo": "ctrl+o"}) == []


def test_an_override_replaces_all_keys_of_its_action() -> None:
    assert keys_of("view.conversation", {"view.conversation": "f9, f10"}) == ("f9", "f10")
    assert keys_of("view.conversation", {}) == action("view.conversation").keys


def test_an_unknown_action_is_named_with_the_nearest() -> None:
    assert unknown_actions({"view.inspect": "f9"}) == [
        "keys.view.inspect: there is no such action. Did you mean view.inspector?"
    ]
    assert unknown_actions({"app.quit": "f9"}) == []


def test_keys_of_widgets_can_be_changed_too() -> None:
    known = widget_key_ids()
    assert {"approval.yes", "transcript.next", "rows.down", "inspector.close"} <= set(known)
    assert unknown_actions({"approval.yes": "o"}, known) == []
    assert "Did you mean approval.yes?" in unknown_actions({"aproval.yes": "o"}, known)[0]


def test_the_ids_of_widgets_are_no_ids_of_actions() -> None:
    assert {each.id for each in ACTIONS}.isdisjoint(widget_key_ids())


def test_bindings_carry_the_ids_that_overrides_name() -> None:
    made = {binding.id: binding for binding in bindings("main")}
    assert made["session.mode"].key == "shift+tab"
    assert made["session.mode"].tooltip
    assert "app.quit" not in made


def test_keys_are_written_as_people_say_them() -> None:
    assert key_label("question_mark") == "?"
    assert key_label("ctrl+p") == "ctrl+p"
