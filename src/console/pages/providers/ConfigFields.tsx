import { type Amount, plainText } from "../../api/Amount.ts"
import { maybeAmountIn } from "../../api/TypedAmount.ts"
import { Field } from "../../parts/Field.tsx"
import type { Values } from "../../parts/Form.tsx"
import type { Config } from "./Names.ts"

const limitIn = (text: string): Amount | null => maybeAmountIn(text) ?? null

export const settingsIn = ({
  description = "",
  is_active,
  max_amount = "",
  min_amount = "",
  priority = ""
}: Values) => ({
  priority: Number(priority),
  is_active: is_active === "on",
  min_amount: limitIn(min_amount),
  max_amount: limitIn(max_amount),
  description: description === "" ? null : description
})

const shown = (amount: Amount | null | undefined): string =>
  amount === null || amount === undefined ? "" : plainText(amount)

/** What can be set when one is made and changed later. */
export const ConfigFields = ({ config }: { readonly config?: Config }) => (
  <>
    <div class="pair">
      <Field
        name="priority"
        label="Priority"
        inputMode="numeric"
        value={String(config?.priority ?? 100)}
        hint="Lower is asked first."
        required
      />
      <Field
        name="is_active"
        label="State"
        options={[
          ["on", "On"],
          ["off", "Off"]
        ]}
        value={config?.is_active === false ? "off" : "on"}
      />
    </div>
    <div class="pair">
      <Field name="min_amount" label="From" inputMode="decimal" value={shown(config?.min_amount)} required={false} />
      <Field name="max_amount" label="Up to" inputMode="decimal" value={shown(config?.max_amount)} required={false} />
    </div>
    <Field name="description" label="Note" value={config?.description ?? ""} required={false} />
  </>
)
