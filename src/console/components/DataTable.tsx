import type { ComponentChildren } from "preact"
import { go } from "../state/HashRouter.ts"
import { orgName, seesAllOrgs } from "../state/ConsoleSession.ts"
import { Icon, type IconName } from "./Button.tsx"

/** Icon, title and hint for an empty list. */
export type Empty = readonly [icon: IconName, title: string, hint?: ComponentChildren]

export const EmptyState = ({ of: [icon, title, hint] }: { readonly of: Empty }) => (
  <div class="empty">
    <Icon name={icon} />
    <p class="empty-title">{title}</p>
    {hint !== undefined && <div class="muted">{hint}</div>}
  </div>
)

export interface Column<A> {
  readonly name: string
  readonly show: (row: A) => ComponentChildren
  readonly align?: "end"
  /** Shown on wide screens only. */
  readonly wide?: boolean
  /** On a phone, shown on a separate line below the others. */
  readonly below?: boolean
  /** Header for screen readers only, for columns of buttons. */
  readonly quiet?: boolean
}

export interface TableProps<A> {
  /** Caption for screen readers. */
  readonly caption: string
  readonly columns: ReadonlyArray<Column<A>>
  readonly rows: ReadonlyArray<A>
  /** Shown without rows. */
  readonly empty?: Empty
  readonly keyOf: (row: A) => string
  /** Link of a row: in its first cell, and followed by a click anywhere in the row. */
  readonly hrefOf?: (row: A) => string | undefined
  /** Buttons of a row, in the last column; null or false: none. */
  readonly actions?: ((row: A) => ComponentChildren) | undefined
}

const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("a, button, dialog, input, select, label") !== null

const classOf = <A,>({ align, below, quiet, wide }: Column<A>): string =>
  Object.entries({ end: align === "end", wide, below, quiet })
    .flatMap(([name, is]) => (is === true ? [name] : []))
    .join(" ")

const actionsColumn = <A,>(show: Column<A>["show"]): Column<A> => ({
  name: "Actions",
  quiet: true,
  align: "end",
  show: (row) => {
    const buttons = show(row)
    return buttons && <div class="actions">{buttons}</div>
  }
})

export const Table = <A,>({ actions, caption, columns: shown, empty, hrefOf, keyOf, rows }: TableProps<A>) => {
  if (empty !== undefined && rows.length === 0) return <EmptyState of={empty} />
  const columns = actions === undefined ? shown : [...shown, actionsColumn(actions)]
  return (
    <div class="table-frame">
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={classOf(column)}>
                <span class={column.quiet === true ? "unseen" : ""}>{column.name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const href = hrefOf?.(row)
            return (
              <tr
                key={keyOf(row)}
                class={href === undefined ? "" : "follows"}
                onClick={(event) => {
                  if (href !== undefined && !isControl(event.target)) go(href.replace(/^#\//, ""))
                }}
              >
                {columns.map((column, at) => (
                  <td key={column.name} class={classOf(column)} data-name={column.quiet === true ? "" : column.name}>
                    {at === 0 && href !== undefined ? (
                      <a class="row-link" href={href}>
                        {column.show(row)}
                      </a>
                    ) : (
                      column.show(row)
                    )}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

/** Organisation of each row, for a platform admin who sees all of them. Undefined: unknown. */
export const orgColumn = <A,>(orgOf: (row: A) => string | null | undefined): ReadonlyArray<Column<A>> =>
  seesAllOrgs.value
    ? [
        {
          name: "Organisation",
          below: true,
          show: (row) => {
            const id = orgOf(row)
            return id === undefined ? <span class="muted">–</span> : orgName(id)
          }
        }
      ]
    : []

/** The same outside of tables. */
export const OrgName = ({ id }: { readonly id: string }) =>
  seesAllOrgs.value ? <span class="muted">{orgName(id)}</span> : null
