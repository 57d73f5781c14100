import { call } from "../../api/Api.ts"
import { Field } from "../../parts/Field.tsx"
import { Task } from "../../parts/Task.tsx"
import { chosenOrg } from "../../state/Session.ts"
import { ConfigFields, settingsIn } from "./ConfigFields.tsx"
import { type Config, flowOptions, methodOptions, providerOptions } from "./Names.ts"

export const NewConfig = ({ onDone }: { readonly onDone: () => void }) => (
  <Task
    name="Add"
    title="Add a provider to a corridor"
    icon="plus"
    kind="primary"
    says={
      chosenOrg.value === undefined
        ? "Payments of all organisations in this corridor are offered to it from the next one on."
        : "Payments of the chosen organisation in this corridor are offered to it before those that are for everybody."
    }
    submit="Add"
    done="Configuration added"
    onDone={onDone}
    act={({ country = "", direction, payment_method, provider, ...values }, key) =>
      call(
        "providerConfigs",
        "create",
        {
          payload: {
            provider: provider as Config["provider"],
            payment_method: payment_method as Config["payment_method"],
            direction: direction as Config["direction"],
            country: country.toUpperCase(),
            org_id: chosenOrg.value ?? null,
            ...settingsIn(values)
          }
        },
        { key }
      )
    }
  >
    <Field name="provider" label="Provider" options={providerOptions} />
    <div class="pair">
      <Field name="payment_method" label="Method" options={methodOptions} />
      <Field name="direction" label="Kind" options={flowOptions} />
    </div>
    <Field name="country" label="Country" placeholder="KE" required />
    <ConfigFields />
  </Task>
)
