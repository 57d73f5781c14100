/** Behaviour of the static reference page: search, test requests, menu, panels, and the entry being read. */
import { closeByClickBeside, element, find, methodLabel, enhanceCode, showKey } from "./Dom.ts"
import {
  type Found,
  type Indexed,
  searchEntries,
  contentsOf,
  type OperationEntry,
  schemaId,
  indexOf,
  isSearchKey
} from "./ReferenceContents.ts"
import type { Document } from "../client/generate/OpenApiTypes.ts"
import { readExact } from "./OpenApiModel.ts"
import { setUpTestRequests } from "./TestRequestDialog.ts"

const optionId = (at: number): string => `found-${at}`

const option = ({ action, entry, group }: Found, at: number): HTMLElement => {
  const title = element("span", {}, entry.title, ...(action === undefined ? [] : [": ", element("code", {}, action)]))
  const place = entry.kind === "operation" ? [methodLabel(entry.method), ` ${entry.path}`] : [group]
  return element("li", { id: optionId(at), role: "option" }, title, element("small", {}, ...place))
}

/** Returns the function that opens the search. */
const setUpSearch = (loadIndex: () => Promise<ReadonlyArray<Indexed>>, goTo: (id: string) => void) => {
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

const load = async () => {
  const response = await fetch("openapi.json")
  if (!response.ok) throw new Error(`The OpenAPI document is answered with ${response.status}.`)
  const document = readExact(await response.text()) as Document
  const groups = contentsOf(document)
  const entries = new Map(groups.flatMap((group) => group.entries.map((entry) => [entry.id, entry] as const)))
  return { entries, index: indexOf(groups), schemas: document.components.schemas }
}

let loaded: ReturnType<typeof load> | undefined

/** Loads the document at the first search or test request. A failed load is tried again. */
const loadOnce = (): ReturnType<typeof load> => {
  loaded ??= load()
  loaded.catch(() => (loaded = undefined))
  return loaded
}

const menu = find<HTMLElement>(".menu")
const aside = find<HTMLElement>("#contents")

const setMenu = (open: boolean): void => {
  aside.classList.toggle("open", open)
  menu.setAttribute("aria-expanded", String(open))
  menu.setAttribute("aria-label", open ? "Close the menu" : "Open the menu")
}

const isMenuOpen = (): boolean => aside.classList.contains("open")

/** Goes to an entry, again where it is the current one already. */
const goTo = (id: string): void => {
  setMenu(false)
  // After the key or click that chose it, which would stop the alignment.
  if (idInAddress() === id) setTimeout(() => alignTo(id))
  else location.hash = id
}

const openSearch = setUpSearch(async () => (await loadOnce()).index, goTo)
const openTestRequest = setUpTestRequests()

const testRequest = async (section: Element): Promise<void> => {
  const { entries, schemas } = await loadOnce()
  const example = section.querySelector<HTMLSelectElement>("[aria-label='Example of the request']")
  openTestRequest(schemas, entries.get(section.id) as OperationEntry, example?.selectedIndex ?? 0)
}

const setLanguage = (language: string): void => {
  document.body.dataset["language"] = language
  for (const button of document.querySelectorAll<HTMLElement>(".bar [data-language]"))
    button.setAttribute("aria-pressed", String(button.dataset["language"] === language))
}

const KEY_FIELD = "header X-Api-Key"

const reveal = (button: Element): void => {
  const isShown = button.getAttribute("aria-pressed") === "false"
  button.setAttribute("aria-pressed", String(isShown))
  find(".action", button).textContent = isShown ? "Hide" : "Show"
  const input = find<HTMLInputElement>("input", button.parentElement!)
  input.classList.toggle("masked", !isShown)
  if (input.name === KEY_FIELD) showKey(input.value.trim(), isShown)
}

addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>("button") : null
  if (button === null) return
  if (button.matches(".test")) void testRequest(button.closest("section")!)
  else if (button.matches(".search")) void openSearch()
  else if (button === menu) setMenu(!isMenuOpen())
  else if (button.dataset["language"] !== undefined) setLanguage(button.dataset["language"])
  else if (button.matches(".reveal")) reveal(button)
})

addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLSelectElement) || !target.matches(".panel-choice")) return
  const panels = Array.from(target.closest(".bar")!.nextElementSibling!.children)
  for (const [at, panel] of panels.entries()) (panel as HTMLElement).hidden = at !== target.selectedIndex
})

/** Credentials are typed on the page or in the dialog, and are the same in both. */
addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.closest(".secrets") === null) return
  for (const other of document.querySelectorAll<HTMLInputElement>(".secrets input"))
    if (other.name === target.name && other !== target) other.value = target.value
  if (target.name === KEY_FIELD) showKey(target.value.trim(), !target.classList.contains("masked"))
})

addEventListener("keydown", (event) => {
  if (isSearchKey(event)) {
    event.preventDefault()
    void openSearch()
  } else if (event.key === "Escape" && isMenuOpen() && document.querySelector("dialog[open]") === null) {
    setMenu(false)
    menu.focus()
  }
})

const idInAddress = (): string => {
  try {
    return decodeURIComponent(location.hash.slice(1))
  } catch {
    return location.hash.slice(1)
  }
}

/** Entries above get their real height only when they are laid out, so an entry is aligned again for 30 frames. */
const ALIGNED_FRAMES = 30

/** Stops when the reader scrolls or types. */
const alignTo = (id: string): void => {
  const entry = document.getElementById(id)
  const moved = new AbortController()
  for (const type of ["wheel", "touchstart", "keydown", "pointerdown", "hashchange"])
    addEventListener(type, () => moved.abort(), { signal: moved.signal, passive: true })
  const align = (frames: number): void => {
    if (moved.signal.aborted || frames === 0) return moved.abort()
    entry?.scrollIntoView()
    requestAnimationFrame(() => align(frames - 1))
  }
  align(ALIGNED_FRAMES)
}

addEventListener("hashchange", () => {
  setMenu(false)
  alignTo(idInAddress())
})
if (location.hash !== "") alignTo(idInAddress())

/** Copies the fields of a model into the place that refers to it. Models may refer to themselves without end. */
document.addEventListener(
  "toggle",
  ({ target }) => {
    if (!(target instanceof HTMLDetailsElement) || target.querySelector(".fields") !== null) return
    const { model } = target.dataset
    const fields = model && document.getElementById(schemaId(model))?.querySelector(".fields")
    if (!fields) return
    if (!target.matches(".response")) target.querySelector("a")?.remove()
    target.append(fields.cloneNode(true))
  },
  true
)

/** Calls `use` once for each element that comes within 300 px of the screen. */
const whenNear = (elements: Iterable<Element>, use: (element: Element) => void): void => {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue
        observer.unobserve(target)
        use(target)
      }
    },
    { rootMargin: "300px 0px" }
  )
  for (const one of elements) observer.observe(one)
}

whenNear(document.querySelectorAll(".entry"), (entry) => {
  for (const block of entry.querySelectorAll(".code")) enhanceCode(block)
})

const links = new Map(
  Array.from(aside.querySelectorAll("a"), (link) => [link.getAttribute("href")!.slice(1), link] as const)
)
const nav = find<HTMLElement>("nav", aside)

/** Marks an entry in the contents, opens its group, and keeps its line in sight. */
const markCurrent = (id: string): void => {
  nav.querySelector("[aria-current]")?.removeAttribute("aria-current")
  const link = links.get(id)
  if (link === undefined) return
  link.setAttribute("aria-current", "location")
  link.closest("details")!.open = true
  const [outer, inner] = [nav.getBoundingClientRect(), link.getBoundingClientRect()]
  if (inner.top < outer.top || inner.bottom > outer.bottom) nav.scrollTop += inner.top - outer.top - outer.height / 3
}

/** The entry in the upper fifth of the screen is the one being read. */
const reading = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) markCurrent(target.id)
  },
  { rootMargin: "-10% 0px -80% 0px" }
)
for (const section of document.querySelectorAll(".entry")) reading.observe(section)
