import { Icon } from "../../parts/Icon.tsx"
import { Field } from "../../parts/Field.tsx"
import { Task } from "../../parts/Task.tsx"
import { linkTo, route } from "../../state/Router.ts"
import { forgetView, saveView, type View, views } from "../../state/Views.ts"

const builtIn: ReadonlyArray<View> = [
  { name: "All", query: {} },
  { name: "Failed", query: { status: "failed" } },
  { name: "Waiting", query: { status: "pending" } },
  { name: "Payouts", query: { direction: "outbound" } }
]

const isHere = (query: Readonly<Record<string, string>>): boolean => {
  const here = route.value.query
  return (
    here.size === Object.keys(query).length && Object.entries(query).every(([name, value]) => here.get(name) === value)
  )
}

export const SavedViews = () => {
  const query = Object.fromEntries(route.value.query)
  const known = [...builtIn, ...views.value].some((view) => isHere(view.query))
  return (
    <nav class="views" aria-label="Views">
      {builtIn.map((view) => (
        <a
          key={view.name}
          class="chip"
          href={linkTo("payments", view.query)}
          aria-current={isHere(view.query) ? "true" : undefined}
        >
          {view.name}
        </a>
      ))}
      {views.value.map((view) => (
        <span key={view.name} class="chip-pair">
          <a class="chip" href={linkTo("payments", view.query)} aria-current={isHere(view.query) ? "true" : undefined}>
            {view.name}
          </a>
          <button
            class="copy"
            type="button"
            aria-label={`Forget the view ${view.name}`}
            onClick={() => forgetView(view.name)}
          >
            <Icon name="cross" />
          </button>
        </span>
      ))}
      {!known && (
        <Task
          name="Save this view"
          icon="save"
          kind="ghost"
          says="The search and its filters are kept in this browser, under a name of yours."
          submit="Save"
          done="View saved"
          act={async ({ name = "" }) => saveView({ name, query })}
        >
          <Field name="name" label="Name" required />
        </Task>
      )}
    </nav>
  )
}
