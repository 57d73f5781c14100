import type { ComponentChildren } from "preact"
import { orgId } from "../state/Session.ts"
import { Empty } from "./Empty.tsx"

/** For what belongs to one organisation, where a platform admin looks at all of them. */
export const NeedsOrg = ({ children }: { readonly children: (org: string) => ComponentChildren }) =>
  orgId.value === undefined ? (
    <Empty icon="members" title="Choose an organisation">
      This belongs to one organisation: choose it at the end of the menu.
    </Empty>
  ) : (
    <>{children(orgId.value)}</>
  )
