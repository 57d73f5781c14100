import { useLoad } from "../state/Load.ts"
import { loadOrgs, orgNames } from "../state/Orgs.ts"
import { chosenOrg, loadSession } from "../state/Session.ts"
import { Field } from "./Field.tsx"

/** A platform admin looks at one organisation, or at all of them together. */
export const OrgChoice = () => {
  useLoad(loadOrgs, [])
  return (
    <Field
      name="organisation"
      label="Organisation"
      options={[["", "All organisations"], ...orgNames.value]}
      value={chosenOrg.value ?? ""}
      onInput={(chosen) => {
        chosenOrg.value = chosen === "" ? undefined : chosen
        void loadSession()
      }}
    />
  )
}
