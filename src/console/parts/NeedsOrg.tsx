import { Empty } from "./Empty.tsx"

/** For what belongs to one organisation, where a platform admin looks at all of them. */
export const NeedsOrg = () => (
  <Empty icon="members" title="Choose an organisation">
    This belongs to one organisation: choose it at the end of the menu.
  </Empty>
)
