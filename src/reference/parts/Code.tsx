/** A piece of JSON or of a program, coloured by what all of these languages share, and copied by a button. */
import { useState } from "preact/hooks"

const tokens =
  /("(?:[^"\\\n]|\\.)*")(\s*:)?|\b(true|false|null|const|await|import|with|as|from)\b|(-?\b\d+(?:\.\d+)?\b)/g

/** Colour is worth no wait: what nobody reads as a whole stays plain. */
const LONGEST = 30_000

const coloured = (text: string) => {
  if (text.length > LONGEST) return text
  const parts = []
  let at = 0
  for (const found of text.matchAll(tokens)) {
    const [, quoted, colon, word] = found
    const shown = quoted ?? found[0]
    const kind =
      quoted === undefined ? (word === undefined ? "number" : "word") : colon === undefined ? "string" : "key"
    if (found.index > at) parts.push(text.slice(at, found.index))
    parts.push(<span class={kind}>{shown}</span>)
    at = found.index + shown.length
  }
  parts.push(text.slice(at))
  return parts
}

/** A page of plain HTTP from elsewhere has no clipboard. */
const clipboard = (navigator as { readonly clipboard?: Clipboard }).clipboard

const Copy = ({ text }: { readonly text: string }) => {
  const [said, setSaid] = useState("Copy")
  const copy = () =>
    clipboard?.writeText(text).then(
      () => setSaid("Copied"),
      () => setSaid("Not allowed")
    )
  return clipboard === undefined ? null : (
    <button type="button" class="copy" onClick={copy} onBlur={() => setSaid("Copy")}>
      {said}
    </button>
  )
}

export const Code = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <div class="code">
    <Copy text={text} />
    <pre tabIndex={0} role="group" aria-label={label}>
      <code>{coloured(text)}</code>
    </pre>
  </div>
)
