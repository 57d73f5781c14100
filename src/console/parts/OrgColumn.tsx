import { orgName, seesAll } from "../state/Orgs.ts"
import type { Column } from "./Table.tsx"

/** Whose a row is, where rows of all organisations stand below each other. Undefined: nobody knows. */
export const orgColumn = <A,>(orgOf: (row: A) => string | null | undefined): ReadonlyArray<Column<A>> =>
  seesAll.value
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

/** The same for what is no table. */
export const OrgOf = ({ id }: { readonly id: string }) =>
  seesAll.value ? <span class="muted">{orgName(id)}</span> : null
