import { useState } from "preact/hooks"
import { call, type Request } from "../../api/Api.ts"
import { maybeAmountIn } from "../../api/TypedAmount.ts"
import { Field } from "../../parts/Field.tsx"
import type { Values } from "../../parts/Form.tsx"
import { Task } from "../../parts/Task.tsx"
import { session } from "../../state/Session.ts"
import { BrandFields, brandIn } from "./BrandFields.tsx"

type Payload = Request<"paymentLinks", "create">["payload"]

const payloadOf = (values: Values): Payload => {
  const { amount = "", amount_type, client_reference = "", currency = "", description = "" } = values
  const { email = "", expires_at = "", return_url = "" } = values
  const number = maybeAmountIn(amount)
  return {
    amount_type: amount_type as Payload["amount_type"],
    currency: currency.toUpperCase(),
    ...(number === undefined ? {} : { amount: number }),
    ...(description === "" ? {} : { description }),
    ...(email === "" ? {} : { email }),
    ...(expires_at === "" ? {} : { expires_at: new Date(expires_at).toISOString() }),
    ...(client_reference === "" ? {} : { client_reference }),
    ...(return_url === "" ? {} : { return_url }),
    ...brandIn(values)
  }
}

export const NewLink = ({ onDone, org }: { readonly org: string; readonly onDone: () => void }) => {
  const [kind, setKind] = useState("fixed")
  return (
    <Task
      name="Create link"
      icon="plus"
      kind="primary"
      title="Create a payment link"
      says="Whoever has its address can pay. You can cancel it at any time."
      submit="Create link"
      done="Link created"
      onDone={onDone}
      act={(values, key) =>
        call("paymentLinks", "create", { path: { org_id: org }, payload: payloadOf(values) }, { key })
      }
    >
      <Field name="description" label="What it is for" placeholder="Invoice 1042" required />
      <Field
        name="amount_type"
        label="Amount"
        options={[
          ["fixed", "Fixed, paid once"],
          ["open", "The payer chooses, any number of times"]
        ]}
        value={kind}
        onInput={setKind}
      />
      <div class="pair">
        <Field
          name="amount"
          label={kind === "fixed" ? "How much" : "Suggested"}
          inputMode="decimal"
          required={kind === "fixed"}
        />
        <Field name="currency" label="Currency" value={session.value?.organization?.currency ?? "KES"} required />
      </div>
      <Field name="expires_at" label="Expires" kind="datetime-local" required={false} />
      <Field name="client_reference" label="Your reference" placeholder="order-1042" required={false} />
      <Field name="email" label="Payer's e-mail" kind="email" required={false} />
      <Field
        name="return_url"
        label="Where payers go afterwards"
        kind="url"
        placeholder="https://shop.example/thanks"
        hint="With the outcome and your reference in the address."
        required={false}
      />
      <BrandFields />
    </Task>
  )
}
