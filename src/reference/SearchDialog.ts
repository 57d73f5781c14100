/** The search over the whole reference, by mouse and by keyboard. */
import { closeByClickBeside, element, find, methodLabel } from "./Dom.ts"
import { type Found, type Indexed, searchEntries } from "./ReferenceSearch.ts"

const optionId = (at: number): string => `found-${at}`

const option = ({ action, entry, group }: Found, at: number): HTMLElement => {
  const title = element("span", {}, entry.title, ...(action === undefined ? [] : [": ", element("code", {}, action)]))
  const place = entry.kind === "operation" ? [methodLabel(entry.method), ` ${entry.path}`] : [group]
  return element("li", { id: optionId(at), role: "option" }, title, element("small", {}, ...place))
}

/** Returns the function that opens the search. */
export const setUpSearch = (loadIndex: () => Promise<ReadonlyArray<Indexed>>, goTo: (id: string) => void) => {
  const dialog = find<HTMLDialogElement>("#search")
  const input = find<HTMLInputElement>("input", dialog)
  const list = find<HTMLElement>("#found", dialog)
  const nothing = find<HTMLElement>("[role=status]", dialog)
  let index: ReadonlyArray<Indexed> = []
  let found: ReadonlyArray<Found> = []
  let selected = 0

  const select = (at: number): void => {
    list.children[selected]?.setAttribute("aria-selected", "false")
    selected = Math.max(0, Math.min(at, found.length - 1))
    list.children[selected]?.setAttribute("aria-selected", "true")
    input.setAttribute("aria-activedescendant", found.length > 0 ? optionId(selected) : "")
  }

  const show = (): void => {
    found = searchEntries(index, input.value)
    list.replaceChildren(...found.map(option))
    nothing.hidden = found.length > 0 || index.length === 0
    input.setAttribute("aria-expanded", String(found.length > 0))
    select(0)
  }

  /** Closes every dialog: one left open would cover the chosen entry. */
  const choose = (at: number): void => {
    const chosen = found[at]
    if (chosen === undefined) return
    for (const one of document.querySelectorAll("dialog")) one.close()
    goTo(chosen.entry.id)
  }

  const optionAt = ({ target }: Event): number =>
    Array.from(list.children).findIndex((one) => one.contains(target as Node))

  input.addEventListener("input", show)
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") choose(selected)
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      select(selected + (event.key === "ArrowDown" ? 1 : -1))
      list.children[selected]?.scrollIntoView({ block: "nearest" })
    } else return
    event.preventDefault()
  })
  list.addEventListener("click", (event) => choose(optionAt(event)))
  list.addEventListener("mousemove", (event) => {
    const at = optionAt(event)
    if (at >= 0) select(at)
  })
  closeByClickBeside(dialog)

  return async (): Promise<void> => {
    if (dialog.open) return
    input.value = ""
    dialog.showModal()
    show()
    index = await loadIndex()
    show()
  }
}
