import { useState } from "preact/hooks"
import { type Answer, call } from "../../api/Api.ts"
import { Problem } from "../../api/Problem.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Card } from "../../parts/Card.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Field } from "../../parts/Field.tsx"
import { Form, type Values } from "../../parts/Form.tsx"
import { NeedsOrg } from "../../parts/NeedsOrg.tsx"
import { Picker } from "../../parts/Picker.tsx"
import { useAll } from "../../state/All.ts"
import { useLoad } from "../../state/Load.ts"
import { isAdmin, ofOrg, orgId, session } from "../../state/Session.ts"
import { nameOf } from "../../state/Words.ts"
import { providerName } from "./Names.ts"
import { type Beneficiary, payinOf, payoutOf } from "./PreviewPayload.ts"

type Route = Answer<"paymentsInit", "preview">["data"]

const methods = [
  ["mobile_money", "Mobile money"],
  ["bank_transfer", "Bank transfer"],
  ["card", "Card"]
] as const

const NetworkFields = ({ country }: { readonly country: string }) => {
  const { data } = useLoad(
    async (signal) =>
      /^[A-Z]{2}$/.test(country) ? (await call("networks", "list", { payload: { country } }, { signal })).data : [],
    [country]
  )
  const networks = data ?? []
  return (
    <>
      <Field
        key={networks.length}
        name="network"
        label="Network"
        options={
          networks.length === 0 ? [["", "None in this country"]] : networks.map(({ code, name }) => [code, name])
        }
      />
      <Field
        key={`phone in ${country}`}
        name="phone"
        label="Phone"
        inputMode="tel"
        placeholder="+254712345678"
        value={country === "KE" ? "+254712345678" : ""}
        required
      />
    </>
  )
}

const Explained = ({ route }: { readonly route: Route }) => (
  <>
    {route.candidates.length === 0 ? (
      <Empty icon="providers" title="Nobody would be asked">
        The payment would be refused: no configuration of this corridor is left.
      </Empty>
    ) : (
      <ol class="candidates">
        {route.candidates.map(({ config_id, priority, provider }, at) => (
          <li key={config_id}>
            <span class="turn">{at + 1}</span>
            <div>
              <strong>{providerName(provider)}</strong>
              <p class="muted">
                {at === 0 ? "Is asked first" : "Is asked only if everybody before has definitely refused"}, with
                priority {priority}.
              </p>
            </div>
          </li>
        ))}
      </ol>
    )}
    {route.excluded.length > 0 && (
      <>
        <h3>Left out</h3>
        <ul class="candidates">
          {route.excluded.map(({ config_id, provider, reason }) => (
            <li key={config_id}>
              <Badge status="canceled" words="Left out" />
              <div>
                <strong>{providerName(provider)}</strong>
                <p class="muted">{reason}</p>
              </div>
            </li>
          ))}
        </ul>
      </>
    )}
  </>
)

const flows = [
  ["payin", "Payin"],
  ["payout", "Payout"]
] as const

const PayinFields = () => {
  const home = session.value?.organization
  const [method, setMethod] = useState("mobile_money")
  const [country, setCountry] = useState(home?.country ?? "KE")
  return (
    <>
      <Field name="payment_method" label="Method" options={methods} value={method} onInput={setMethod} />
      <div class="pair">
        <Field
          name="country"
          label="Country"
          value={country}
          onInput={(text) => setCountry(text.toUpperCase())}
          required
        />
        <Field name="currency" label="Currency" value={home?.currency ?? "KES"} required />
      </div>
      {method === "mobile_money" && <NetworkFields country={country} />}
    </>
  )
}

const nameOfBeneficiary = ({ account_type, currency, fname, lname }: Beneficiary): string =>
  `${fname} ${lname}, ${nameOf(account_type).toLowerCase()} in ${currency}`

const PayoutFields = ({ beneficiaries }: { readonly beneficiaries: ReadonlyArray<Beneficiary> | undefined }) => (
  <Picker
    name="beneficiary_id"
    label="Beneficiary"
    hint="Settles the method, the country and the currency."
    options={beneficiaries?.map((one) => [one.beneficiary_id, nameOfBeneficiary(one)] as const)}
    none="There is none with a bank account or mobile money"
  />
)

const useBeneficiaries = (wanted: boolean): ReadonlyArray<Beneficiary> | undefined => {
  const { data } = useAll(
    async (page, signal) =>
      wanted ? call("beneficiaries", "list", { urlParams: { ...ofOrg(), ...page } }, { signal }) : { data: [] },
    [wanted, orgId.value]
  )
  return data?.filter(({ account_type }) => account_type === "mobile_money" || account_type === "bank")
}

const payloadOf = (values: Values, beneficiaries: ReadonlyArray<Beneficiary>) => {
  if (values["flow"] !== "payout") return payinOf(values)
  const to = beneficiaries.find(({ beneficiary_id }) => beneficiary_id === values["beneficiary_id"])
  if (to === undefined) throw new Problem(400, "A payout goes to a beneficiary: there has to be one.")
  return payoutOf(to, values)
}

export const RoutePreview = () => {
  const [flow, setFlow] = useState("payin")
  const [route, setRoute] = useState<Route>()
  const beneficiaries = useBeneficiaries(flow === "payout")
  if (isAdmin.value && orgId.value === undefined) {
    return <NeedsOrg />
  }
  return (
    <div class="columns lean-right">
      <Card title="A payment">
        <Form
          submit="Show the route"
          onSubmit={async (values) => {
            setRoute(undefined)
            const payload = payloadOf(values, beneficiaries ?? [])
            setRoute((await call("paymentsInit", "preview", { payload })).data)
          }}
        >
          <Field name="flow" label="Kind" options={flows} value={flow} onInput={setFlow} />
          {flow === "payin" ? <PayinFields /> : <PayoutFields beneficiaries={beneficiaries} />}
          <Field name="amount" label="Amount" inputMode="decimal" value="1500.00" required />
        </Form>
      </Card>
      <Card title="Its route" note="Nothing is created, and nobody is asked.">
        {route === undefined ? (
          <Empty icon="providers" title="Describe a payment">
            You will see who would be asked, in which order, and who would not, with the reason.
          </Empty>
        ) : (
          <Explained route={route} />
        )}
      </Card>
    </div>
  )
}
