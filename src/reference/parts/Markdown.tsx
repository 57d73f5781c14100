/** The descriptions of the contract: the little Markdown that they are written in, as elements and never as markup. */
import type { ComponentChildren } from "preact"

const pieces = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(((?:https?:\/\/|#|\.{0,2}\/)[^)\s]*)\)/g

const inline = (text: string): ComponentChildren => {
  const parts: Array<ComponentChildren> = []
  let at = 0
  for (const found of text.matchAll(pieces)) {
    const [whole, code, strong, words, href] = found
    parts.push(text.slice(at, found.index))
    if (code !== undefined) parts.push(<code>{code}</code>)
    else if (strong !== undefined) parts.push(<strong>{strong}</strong>)
    else parts.push(<a href={href}>{words}</a>)
    at = found.index + whole.length
  }
  return [...parts, text.slice(at)]
}

const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .replace(/^\||\|\s*$/g, "")
    .split("|")
    .map((cell) => cell.trim())

const Table = ({ lines: [head = "", , ...rows] }: { readonly lines: ReadonlyArray<string> }) => (
  <div class="wide" tabIndex={0} role="group" aria-label="Table">
    <table>
      <thead>
        <tr>{cellsOf(head).map((cell) => (cell === "" ? <td /> : <th scope="col">{inline(cell)}</th>))}</tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {cellsOf(row).map((cell) => (
              <td>{inline(cell)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const Block = ({ text }: { readonly text: string }) => {
  const lines = text.split("\n")
  if (lines.length > 2 && lines[0]!.startsWith("|")) return <Table lines={lines} />
  if (lines.every((line) => /^([-*] |\s)/.test(line))) {
    const items = text.replace(/^[-*] /, "").split(/\n[-*] /)
    return (
      <ul>
        {items.map((item) => (
          <li>{inline(item)}</li>
        ))}
      </ul>
    )
  }
  const list = lines.findIndex((line) => /^[-*] /.test(line))
  if (list < 1) return <p>{inline(text)}</p>
  return (
    <>
      <p>{inline(lines.slice(0, list).join("\n"))}</p>
      <Block text={lines.slice(list).join("\n")} />
    </>
  )
}

export const Markdown = ({ text }: { readonly text: string }) => (
  <div class="markdown">
    {text
      .split(/\n{2,}/)
      .map((block) => block.trim())
      .filter((block) => block !== "")
      .map((block) => (
        <Block text={block} />
      ))}
  </div>
)

/** One line of it, inside of something else. */
export const Words = ({ text }: { readonly text: string }) => <>{inline(text)}</>
