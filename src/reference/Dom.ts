/** Elements made by the script. The page's policy allows no markup made of text. */

type Attributes = Readonly<Record<string, string | boolean | undefined>>

/** `true` sets an empty attribute; `false` and undefined set none. */
export const element = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: ReadonlyArray<Node | string>
): HTMLElementTagNameMap[Tag] => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value)
  }
  made.append(...children)
  return made
}

export const find = <E extends Element>(selector: string, within: ParentNode = document): E =>
  within.querySelector<E>(selector)!

export const methodLabel = (name: string): HTMLElement =>
  element("span", { class: `method ${name.toLowerCase()}` }, name)

const tokens =
  /("(?:[^"\\\n]|\\.)*")(\s*:)?|\b(true|false|null|const|await|import|with|as|from)\b|(-?\b\d+(?:\.\d+)?\b)/g

/** Longer texts stay plain: colouring them takes too long. */
const MAX_COLOURED = 30_000

const coloured = (text: string): ReadonlyArray<Node | string> => {
  if (text.length > MAX_COLOURED) return [text]
  const parts: Array<Node | string> = []
  let at = 0
  for (const found of text.matchAll(tokens)) {
    const [, quoted, colon, keyword] = found
    const token = quoted ?? found[0]
    const kind =
      quoted !== undefined ? (colon === undefined ? "string" : "key") : keyword === undefined ? "number" : "keyword"
    parts.push(text.slice(at, found.index), element("span", { class: kind }, token))
    at = found.index + token.length
  }
  return [...parts, text.slice(at)]
}

/** Undefined on pages of plain HTTP from another machine. */
const clipboard = (navigator as { readonly clipboard?: Clipboard }).clipboard

const copyButton = (text: () => string): HTMLElement => {
  const button = element("button", { type: "button", class: "button copy" }, "Copy")
  button.addEventListener("click", () => {
    clipboard?.writeText(text()).then(
      () => (button.textContent = "Copied"),
      () => (button.textContent = "Not allowed")
    )
  })
  button.addEventListener("blur", () => (button.textContent = "Copy"))
  return button
}

/** The reader's key, once entered. `isShown`: in full; otherwise as the prefix that lists of keys show. */
let own: { readonly key: string; readonly isShown: boolean } | undefined

/** Other text could end the quotes that samples put around it. */
const KEY = /^ck_(?:test|live)_[0-9A-Za-z]+$/
const PREFIX = 12

export const withKey = (sample: string, key: string): string =>
  sample
    .replaceAll("$CORRIDOR_API_KEY", key)
    .replaceAll(/process\.env\.CORRIDOR_API_KEY|os\.environ\["CORRIDOR_API_KEY"\]/g, `"${key}"`)

/** Text of the samples with a key that have been enhanced, as the page brought them. */
const samples = new Map<Element, string>()

const textToCopy = (text: string): string => (own === undefined ? text : withKey(text, own.key))

const colour = (code: Element, text: string): void => {
  const key = own === undefined || own.isShown ? own?.key : `${own.key.slice(0, PREFIX)}…`
  code.replaceChildren(...coloured(key === undefined ? text : withKey(text, key)))
}

/** Writes the reader's key into the samples; what is no key takes it out again. */
export const showKey = (typed: string, isShown: boolean): void => {
  own = KEY.test(typed) ? { key: typed, isShown } : undefined
  for (const [code, text] of samples) colour(code, text)
}

/** Colours a code block and adds its copy button. */
export const enhanceCode = (block: Element): void => {
  const code = find("code", block)
  const text = code.textContent ?? ""
  if (text.includes("CORRIDOR_API_KEY")) samples.set(code, text)
  colour(code, text)
  if (clipboard !== undefined) block.prepend(copyButton(() => textToCopy(text)))
}

export const codeBlock = (label: string, text: string): HTMLElement => {
  const pre = element("pre", { tabindex: "0", role: "group", "aria-label": label }, element("code", {}, text))
  const block = element("div", { class: "code" }, pre)
  enhanceCode(block)
  return block
}

/** A click beside a modal dialog closes it, as Escape does. */
export const closeByClickBeside = (dialog: HTMLDialogElement): void =>
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close())
