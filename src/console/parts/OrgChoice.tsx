import { call } from "../api/Api.ts"
import { useLoad } from "../state/Load.ts"
import { chosenOrg, loadSession } from "../state/Session.ts"
import { Field } from "./Field.tsx"

/** A platform admin looks at one organisation, or at all of them together. */
export const OrgChoice = () => {
  const { data } = useLoad((signal) => call("organizations", "list", { urlParams: { limit: 100 } }, { signal }), [])
  const options = (data?.data ?? []).map(({ name, org_id }) => [org_id, name] as const)
  return (
    <Field
      name="organisation"
      label="Organisation"
      options={[["", "All organisations"], ...options]}
      value={chosenOrg.value ?? ""}
      onInput={(chosen) => {
        chosenOrg.value = chosen === "" ? undefined : chosen
        void loadSession()
      }}
    />
  )
}
