import { call } from "../../api/Api.ts"
import { Field } from "../../parts/Field.tsx"
import { useLoad } from "../../state/Load.ts"
import { ofOrg } from "../../state/Session.ts"

/** Whoever can be paid in this currency. */
export const BeneficiaryField = ({ currency }: { readonly currency: string }) => {
  const { data } = useLoad(
    (signal) => call("beneficiaries", "list", { urlParams: { ...ofOrg(), limit: 100 } }, { signal }),
    []
  )
  const options = (data?.data ?? [])
    .filter((beneficiary) => beneficiary.currency === currency)
    .map(({ beneficiary_id, fname, lname }) => [beneficiary_id, `${fname} ${lname}`] as const)
  return (
    <Field
      key={options.length}
      name="beneficiary_id"
      label="Beneficiary"
      options={options.length === 0 ? [["", `None is paid in ${currency}`]] : options}
    />
  )
}
