import { shortId } from "../state/Words.ts"
import { Copy } from "./Copy.tsx"

interface Props {
  readonly id: string
  readonly what: string
  readonly href?: string
  readonly whole?: boolean
}

export const Id = ({ href, id, what, whole = false }: Props) => {
  const shown = (
    <code class="id" title={id}>
      {whole ? id : shortId(id)}
    </code>
  )
  return (
    <span class="with-copy">
      {href === undefined ? shown : <a href={href}>{shown}</a>}
      <Copy text={id} what={what} />
    </span>
  )
}
