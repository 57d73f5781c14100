import { call } from "../../api/Api.ts"
import { Picker } from "../../parts/Picker.tsx"
import { useAll } from "../../state/All.ts"
import { ofOrg } from "../../state/Session.ts"

/** Whoever can be paid in this currency. */
export const BeneficiaryField = ({ currency }: { readonly currency: string }) => {
  const { data } = useAll(
    (page, signal) => call("beneficiaries", "list", { urlParams: { ...ofOrg(), ...page } }, { signal }),
    []
  )
  const options = data
    ?.filter((beneficiary) => beneficiary.currency === currency)
    .map(({ beneficiary_id, fname, lname }) => [beneficiary_id, `${fname} ${lname}`] as const)
  return <Picker name="beneficiary_id" label="Beneficiary" options={options} none={`None is paid in ${currency}`} />
}
