import { call } from "../../api/Api.ts"
import { Problem } from "../../api/Problem.ts"
import { Field } from "../../parts/Field.tsx"
import { Task } from "../../parts/Task.tsx"
import { type Config, providerName } from "./Names.ts"

const fieldsIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => {
        const [, name, value] = /^\s*([a-z_]+)\s*[=:]\s*(.+?)\s*$/.exec(line) ?? []
        if (name === undefined || value === undefined) throw new Problem(400, "Write each field as name=value.")
        return [name, value]
      })
  )

export const SetCredentials = ({ config, onDone }: { readonly config: Config; readonly onDone: () => void }) => (
  <Task
    name="Credentials"
    label={`Credentials of ${providerName(config.provider)} in ${config.country}`}
    title={`Account at ${providerName(config.provider)}`}
    says="Gives the configuration an account of its own at the provider. The credentials are tried at once by a harmless call, kept sealed, and never shown again."
    submit="Set credentials"
    done="Credentials set"
    onDone={onDone}
    act={({ fields = "" }, key) =>
      call(
        "providerConfigs",
        "setCredentials",
        {
          path: { provider: config.provider, config_id: config.config_id },
          urlParams: { forget_replaced: false },
          payload: fieldsIn(fields)
        },
        { key }
      )
    }
  >
    <Field
      name="fields"
      label="Fields"
      kind="area"
      placeholder={"api_token=…\npublic_key=…"}
      hint="The provider's own, one to a line: name=value."
      required
    />
  </Task>
)
