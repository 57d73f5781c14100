import { call } from "../../api/Api.ts"
import { Task } from "../../parts/Task.tsx"
import { ConfigFields, settingsIn } from "./ConfigFields.tsx"
import { type Config, providerName } from "./Names.ts"

export const EditConfig = ({ config, onDone }: { readonly config: Config; readonly onDone: () => void }) => (
  <Task
    name="Change"
    label={`Change ${providerName(config.provider)} in ${config.country}`}
    title={`${providerName(config.provider)} in ${config.country}`}
    says={`Holds from the next payment${config.org_id === null ? " of every organisation" : ""} on. Payments that it already serves are seen to their end.`}
    submit="Save"
    done="Configuration changed"
    onDone={onDone}
    act={(values, key) =>
      call(
        "providerConfigs",
        "update",
        { path: { provider: config.provider, config_id: config.config_id }, payload: settingsIn(values) },
        { key }
      )
    }
  >
    <ConfigFields config={config} />
  </Task>
)
