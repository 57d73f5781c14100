import { useState, useId } from "preact/hooks"
import type { Request } from "../../api/ConsoleApi.ts"
import { optionalAmount } from "../../api/Amount.ts"
import { Field, filled, type Values } from "../../components/Form.tsx"
import { ActionButton } from "../../components/Dialog.tsx"
import { session } from "../../state/ConsoleSession.ts"

/** Limit of the API, in bytes. */
const largest = 65_536

const dataUrlOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new Error("The picture could not be read."))
    reader.readAsDataURL(file)
  })

const hint = "PNG, JPEG or WebP, at most 64 KB."

/** Sends the picture as a data URL in a hidden field. */
const LogoField = () => {
  const id = useId()
  const [logo, setLogo] = useState("")
  const [problem, setProblem] = useState<string>()
  const choose = async (input: HTMLInputElement) => {
    const [file] = input.files ?? []
    const tooLarge = file !== undefined && file.size > largest
    setProblem(tooLarge ? `The picture has ${Math.ceil(file.size / 1024)} KB; the limit is 64 KB.` : undefined)
    if (tooLarge) input.value = ""
    setLogo(file === undefined || tooLarge ? "" : await dataUrlOf(file))
  }
  return (
    <div class="field">
      <label for={id}>
        Logo<span class="optional"> optional</span>
      </label>
      <div class="logo-choice">
        {logo !== "" && <img src={logo} alt="The logo that was chosen" />}
        <input
          id={id}
          type="file"
          accept="image/png,image/jpeg,image/webp"
          aria-describedby={`${id}-hint`}
          onChange={(event) => void choose(event.currentTarget)}
        />
      </div>
      <input type="hidden" name="brand_logo" value={logo} />
      {problem !== undefined && (
        <p class="problem-line" role="alert">
          {problem}
        </p>
      )}
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  )
}

/** Typed or picked colour; empty: the default, which a colour picker cannot express. */
const ColorField = () => {
  const id = useId()
  const [color, setColor] = useState("")
  const isColor = /^#[0-9a-f]{6}$/i.test(color)
  return (
    <div class="field">
      <label for={id}>
        Button colour<span class="optional"> optional</span>
      </label>
      <div class="color-choice">
        <input
          id={id}
          name="brand_color"
          placeholder="#0b6e4f"
          pattern="#[0-9a-fA-F]{6}"
          title="Six digits after #, such as #0b6e4f"
          autocomplete="off"
          spellcheck={false}
          value={color}
          onInput={(event) => setColor(event.currentTarget.value)}
        />
        <input
          type="color"
          aria-label="Pick a colour"
          value={isColor ? color : "#1d4ed8"}
          onInput={(event) => setColor(event.currentTarget.value)}
        />
      </div>
    </div>
  )
}

/** Opens on invalid input, so that the browser can show the problem. */
const BrandFields = () => (
  <details class="fold" onInvalidCapture={(event) => (event.currentTarget.open = true)}>
    <summary>Branding</summary>
    <div class="form">
      <Field
        name="brand_name"
        label="Name"
        placeholder="Acme Shop"
        hint="Shown above your organisation's name."
        required={false}
      />
      <ColorField />
      <LogoField />
    </div>
  </details>
)

const brandIn = ({ brand_color = "", brand_logo = "", brand_name = "" }: Values) => {
  const brand = filled({ name: brand_name, color: brand_color, logo: brand_logo })
  return Object.keys(brand).length === 0 ? {} : { brand }
}

type Payload = Request<"paymentLinks", "create">["payload"]

const payloadOf = (values: Values): Payload => {
  const { amount = "", amount_type, client_reference = "", currency = "", description = "" } = values
  const { email = "", expires_at = "", return_url = "" } = values
  const number = optionalAmount(amount)
  return {
    amount_type: amount_type as Payload["amount_type"],
    currency: currency.toUpperCase(),
    ...(number === undefined ? {} : { amount: number }),
    ...filled({ description, email, client_reference, return_url }),
    ...(expires_at === "" ? {} : { expires_at: new Date(expires_at).toISOString() }),
    ...brandIn(values)
  }
}

export const NewLink = ({ org }: { readonly org: string }) => {
  const [kind, setKind] = useState("fixed")
  return (
    <ActionButton
      name="Create link"
      icon="plus"
      kind="primary"
      title="Create a payment link"
      explanation="Anyone with the address can pay. You can cancel the link at any time."
      done="Link created"
      act={(values, send) => send("paymentLinks", "create", { path: { org_id: org }, payload: payloadOf(values) })}
    >
      <Field name="description" label="Description" placeholder="Invoice 1042" required />
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
        label="Return URL"
        kind="url"
        placeholder="https://shop.example/thanks"
        hint="Gets the outcome and your reference as query parameters."
        required={false}
      />
      <BrandFields />
    </ActionButton>
  )
}
