import type { ComponentChildren } from "preact"
import { Page, Tabs, Card } from "../../components/PageFrame.tsx"
import { hasAccess, isAdmin, orgFilter, orgId, session } from "../../state/ConsoleSession.ts"
import { ProviderConfigs } from "./ProviderConfigsTab.tsx"
import { ProviderHealth } from "./ProviderHealthCards.tsx"
import { ProviderSetups } from "./ProviderSetupTab.tsx"
import { useState } from "preact/hooks"
import { type Answer, call, type Request } from "../../api/ConsoleApi.ts"
import { Problem } from "../../api/ApiResponse.ts"
import { Badge } from "../../components/Badge.tsx"
import { EmptyState } from "../../components/DataTable.tsx"
import { ChooseOrgFirst } from "../../components/Loading.tsx"
import { Field, Form, Picker, type Values } from "../../components/Form.tsx"
import { useLoad, useOrgItems } from "../../state/LoadHooks.ts"
import { labelOf, optionsOf } from "../../state/Display.ts"
import { providerName } from "./ProviderNames.ts"
import { requireAmount } from "../../api/Amount.ts"
import { isolatedName } from "../../../domain/IsolatedName.ts"

/** A preview needs a whole payment; these fields do not affect the route. */
type Payload = Request<"paymentsInit", "preview">["payload"]
type Beneficiary = Answer<"beneficiaries", "list">["data"][number]

const payer = { name: "Route preview", email: "preview@example.com", phone: "+254700000000" }

const bankIn = (country: string): Partial<Payload> => {
  const account = { account_number: "1100223344", bank_name: "Any bank" }
  return { bank_details: { ...account, account_name: payer.name, country }, bank_account: account }
}

const detailsOf = (method: string, { network = "", phone = "" }: Values, country: string): Partial<Payload> => {
  if (method === "mobile_money") return { mobile_money_details: { provider: network, phone_number: phone } }
  if (method === "card") {
    const card = { card_number: "4242424242424242", expiry_month: "12", expiry_year: "2035" }
    return { card_details: card }
  }
  return bankIn(country)
}

const amountsIn = (amount: string, currency: string) => {
  const number = requireAmount(amount)
  return { amount: number, target_amount: number, currency, target_currency: currency }
}

const payinOf = (values: Values): Payload => {
  const { amount = "", country = "", currency = "", payment_method = "" } = values
  return {
    ...orgFilter(),
    ...amountsIn(amount, currency.toUpperCase()),
    payment_method: payment_method as Payload["payment_method"],
    direction: "payin",
    country: country.toUpperCase(),
    payer_details: payer,
    ...detailsOf(payment_method, values, country.toUpperCase())
  }
}

/** The beneficiary determines everything but the amount. */
const payoutOf = (to: Beneficiary, { amount = "" }: Values): Payload => ({
  ...orgFilter(),
  ...amountsIn(amount, to.currency),
  direction: "payout",
  country: to.country,
  beneficiary_id: to.beneficiary_id,
  ...(to.account_type === "mobile_money"
    ? { payment_method: "mobile_money", mobile_money_details: to.momo_details as Payload["mobile_money_details"] }
    : { payment_method: "bank_transfer", ...bankIn(to.country) })
})

type Route = Answer<"paymentsInit", "preview">["data"]

const methods = optionsOf(["mobile_money", "bank_transfer", "card"])

const NetworkFields = ({ country }: { readonly country: string }) => {
  const { data } = useLoad(
    async (get) => (/^[A-Z]{2}$/.test(country) ? (await get("networks", "list", { payload: { country } })).data : []),
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

const RouteExplanation = ({ route }: { readonly route: Route }) => (
  <>
    {route.candidates.length === 0 ? (
      <EmptyState
        of={[
          "providers",
          "No provider available",
          "The payment would be refused: no configuration of this corridor remains."
        ]}
      />
    ) : (
      <ol class="candidates">
        {route.candidates.map(({ config_id, priority, provider }, at) => (
          <li key={config_id}>
            <span class="position">{at + 1}</span>
            <div>
              <strong>{providerName(provider)}</strong>
              <p class="muted">
                {at === 0 ? "Tried first" : "Tried only after a definite refusal by those before it"}, with priority{" "}
                {priority}.
              </p>
            </div>
          </li>
        ))}
      </ol>
    )}
    {route.excluded.length > 0 && (
      <>
        <h3>Excluded</h3>
        <ul class="candidates">
          {route.excluded.map(({ config_id, provider, reason }) => (
            <li key={config_id}>
              <Badge status="canceled" words="Excluded" />
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

const flows = optionsOf(["payin", "payout"])

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
  `${isolatedName(`${fname} ${lname}`)}, ${labelOf(account_type).toLowerCase()} in ${currency}`

const PayoutFields = ({ beneficiaries }: { readonly beneficiaries: ReadonlyArray<Beneficiary> | undefined }) => (
  <Picker
    name="beneficiary_id"
    label="Beneficiary"
    hint="Determines method, country and currency."
    options={beneficiaries?.map((one) => [one.beneficiary_id, nameOfBeneficiary(one)] as const)}
    none="No beneficiary with a bank account or mobile money"
  />
)

const useBeneficiaries = (wanted: boolean): ReadonlyArray<Beneficiary> | undefined => {
  const { data } = useOrgItems("beneficiaries", "list", wanted)
  return data?.filter(({ account_type }) => account_type === "mobile_money" || account_type === "bank")
}

const payloadOf = (values: Values, beneficiaries: ReadonlyArray<Beneficiary>) => {
  if (values["flow"] !== "payout") return payinOf(values)
  const to = beneficiaries.find(({ beneficiary_id }) => beneficiary_id === values["beneficiary_id"])
  if (to === undefined) throw new Problem(400, "Choose a beneficiary.")
  return payoutOf(to, values)
}

const RoutePreview = () => {
  const [flow, setFlow] = useState("payin")
  const [route, setRoute] = useState<Route>()
  const beneficiaries = useBeneficiaries(flow === "payout")
  if (isAdmin.value && orgId.value === undefined) {
    return <ChooseOrgFirst />
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
      <Card title="Route" note="Nothing is created, and no provider is called.">
        {route === undefined ? (
          <EmptyState
            of={[
              "providers",
              "Describe a payment",
              "Shows the providers in order, and the excluded ones with reasons."
            ]}
          />
        ) : (
          <RouteExplanation route={route} />
        )}
      </Card>
    </div>
  )
}

const tabs = [
  ["preview", "Route preview"],
  ["configs", "Configurations"],
  ["health", "Health"],
  ["setup", "Set-up"]
] as const

const contents: Readonly<Record<string, () => ComponentChildren>> = {
  configs: () => <ProviderConfigs />,
  health: () => <ProviderHealth />,
  setup: () => <ProviderSetups />
}

/** Only platform admins see configurations and health. */
export const ProvidersPage = ({ tab }: { readonly tab: string }) => {
  const content = hasAccess("platform") ? contents[tab] : undefined
  return (
    <Page title="Providers" lead="Which providers a payment is offered to, in which order, and why.">
      {hasAccess("platform") && <Tabs name="Providers" at="providers" tabs={tabs} current={tab} />}
      {content === undefined ? <RoutePreview /> : content()}
    </Page>
  )
}
