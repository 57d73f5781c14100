/** One of the models, with its fields when a reader comes near. */
import type { SchemaEntry } from "../document/Contents.ts"
import type { Reference } from "../state/State.ts"
import { SchemaFields } from "./Fields.tsx"
import { Markdown } from "./Markdown.tsx"
import { useNear } from "./Near.ts"

export const SchemaSection = ({ entry, reference }: { readonly reference: Reference; readonly entry: SchemaEntry }) => {
  const [ref, near] = useNear()
  return (
    <section id={entry.id} ref={ref} class={near ? "entry" : "entry far"} aria-label={entry.title}>
      <div class="told">
        <h3>
          <a href={`#${entry.id}`}>{entry.title}</a>
        </h3>
        <Markdown text={entry.schema.description ?? ""} />
        {near && <SchemaFields schemas={reference.document.components.schemas} schema={entry.schema} />}
      </div>
    </section>
  )
}
