import { useState } from "preact/hooks"
import { type Answer, call, type Request } from "../../api/Api.ts"
import { amountIn } from "../../api/TypedAmount.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Card } from "../../parts/Card.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Field } from "../../parts/Field.tsx"
import { Form, type Values } from "../../parts/Form.tsx"
import { NeedsOrg } from "../../parts/NeedsOrg.tsx"
import { useLoad } from "../../state/Load.ts"
import { isAdmin, ofOrg, orgId, session } from "../../state/Session.ts"
import { providerName } from "./Names.ts"

type Route = Answer<"paymentsInit", "preview">["data"]
type Payload = Request<"paymentsInit", "preview">["payload"]

const methods = [
  ["mobile_money", "Mobile money"],
  ["bank_transfer", "Bank transfer"],
  ["card", "Card"]
] as const

/** A preview asks for a whole payment, and most of it has no say in the route. */
const payer = { name: "Route preview", email: "preview@example.com", phone: "+254700000000" }

const detailsOf = (method: string, { network = "", phone = "" }: Values, country: string): Partial<Payload> => {
  if (method === "mobile_money") return { mobile_money_details: { provider: network, phone_number: phone } }
  if (method === "card") {
    const card = { card_number: "4242424242424242", expiry_month: "12", expiry_year: "2035" }
    return { card_details: card }
  }
  const account = { account_number: "1100223344", bank_name: "Any bank" }
  return { bank_details: { ...account, account_name: payer.name, country }, bank_account: account }
}

const payloadOf = (values: Values): Payload => {
  const { amount = "", country = "", currency = "", payment_method = "" } = values
  const number = amountIn(amount)
  const inCapitals = currency.toUpperCase()
  return {
    ...ofOrg(),
    amount: number,
    target_amount: number,
    currency: inCapitals,
    target_currency: inCapitals,
    payment_method: payment_method as Payload["payment_method"],
    direction: "payin",
    country: country.toUpperCase(),
    payer_details: payer,
    ...detailsOf(payment_method, values, country.toUpperCase())
  }
}

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

export const RoutePreview = () => {
  const home = session.value?.organization
  const [method, setMethod] = useState("mobile_money")
  const [country, setCountry] = useState(home?.country ?? "KE")
  const [route, setRoute] = useState<Route>()
  if (isAdmin.value && orgId.value === undefined) {
    return <NeedsOrg />
  }
  return (
    <div class="columns lean-right">
      <Card title="A payin">
        <Form
          submit="Show the route"
          onSubmit={async (values) => {
            setRoute(undefined)
            setRoute((await call("paymentsInit", "preview", { payload: payloadOf(values) })).data)
          }}
        >
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
          <Field name="amount" label="Amount" inputMode="decimal" value="1500.00" required />
          {method === "mobile_money" && <NetworkFields country={country} />}
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
