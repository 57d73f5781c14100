import { stringify } from "lossless-json"

/** Focusable, since it may be wider than the page. */
export const Json = ({ name, value }: { readonly name: string; readonly value: unknown }) => (
  <pre class="json" tabIndex={0} role="region" aria-label={name}>
    {typeof value === "string" ? value : stringify(value, undefined, 2)}
  </pre>
)
