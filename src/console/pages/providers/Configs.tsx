import { call } from "../../api/Api.ts"
import { amountText } from "../../api/Amount.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Field } from "../../parts/Field.tsx"
import { Listing } from "../../parts/Listing.tsx"
import { Table } from "../../parts/Table.tsx"
import { Task } from "../../parts/Task.tsx"
import { orgName } from "../../state/Orgs.ts"
import { usePages } from "../../state/Pages.ts"
import { route, setQuery } from "../../state/Router.ts"
import { chosenOrg } from "../../state/Session.ts"
import { nameOf } from "../../state/Words.ts"
import { configsOf } from "./ConfigsOf.ts"
import { EditConfig } from "./EditConfig.tsx"
import { type Config, flowOptions, methodOptions, providerName, providerOptions } from "./Names.ts"
import { SetCredentials } from "./SetCredentials.tsx"
import { NewConfig } from "./NewConfig.tsx"

const Remove = ({ config, onDone }: { readonly config: Config; readonly onDone: () => void }) => (
  <Task
    name="Remove"
    label={`Remove ${providerName(config.provider)} in ${config.country}`}
    title="Remove the configuration"
    kind="danger"
    says={`No new payment${config.org_id === null ? " of any organisation" : ""} goes by it from now on. Payments that it already serves are seen to their end.`}
    submit="Remove"
    done="Configuration removed"
    onDone={onDone}
    act={(_, key) =>
      call("providerConfigs", "remove", { path: { provider: config.provider, config_id: config.config_id } }, { key })
    }
  />
)

const limitsOf = ({ max_amount, min_amount }: Config): string => {
  if (min_amount === null && max_amount === null) return "Any amount"
  if (max_amount === null) return `From ${amountText(min_amount!)}`
  return min_amount === null
    ? `Up to ${amountText(max_amount)}`
    : `${amountText(min_amount)} to ${amountText(max_amount)}`
}

const filters = [
  ["provider", "Provider", [["", "Any provider"], ...providerOptions]],
  ["payment_method", "Method", [["", "Any method"], ...methodOptions]],
  ["direction", "Kind", [["", "Any kind"], ...flowOptions]]
] as const

export const Configs = () => {
  const query = Object.fromEntries(route.value.query)
  const list = usePages((cursor, signal) => configsOf(chosenOrg.value, query, cursor, signal), [query, chosenOrg.value])
  return (
    <>
      <div class="filters">
        {filters.map(([name, label, options]) => (
          <Field
            key={name}
            name={name}
            label={label}
            options={options}
            value={query[name] ?? ""}
            onInput={(value) => setQuery({ ...query, [name]: value })}
          />
        ))}
        <NewConfig onDone={list.reload} />
      </div>
      <Listing
        list={list}
        empty={
          <Empty icon="providers" title="No configurations">
            Without one for a corridor, its payments are refused.
          </Empty>
        }
      >
        {(items) => (
          <Table
            caption="Provider configurations"
            rows={items}
            keyOf={({ config_id }) => config_id}
            columns={[
              { name: "Provider", show: ({ provider }) => <strong class="nowrap">{providerName(provider)}</strong> },
              {
                name: "State",
                show: ({ is_active }) => (
                  <Badge status={is_active ? "active" : "canceled"} words={is_active ? "On" : "Off"} />
                )
              },
              {
                name: "Corridor",
                show: ({ country, direction, payment_method }) =>
                  `${country} · ${nameOf(direction)}, ${nameOf(payment_method).toLowerCase()}`
              },
              { name: "Priority", align: "end", show: ({ priority }) => priority },
              { name: "Amounts", wide: true, show: (config) => <span class="nowrap">{limitsOf(config)}</span> },
              {
                name: "For",
                below: true,
                show: ({ has_credentials, org_id }) =>
                  `${org_id === null ? "Everybody" : orgName(org_id)}${has_credentials ? ", own account" : ""}`
              },
              {
                name: "Actions",
                quiet: true,
                align: "end",
                show: (config) => (
                  <div class="actions">
                    <EditConfig config={config} onDone={list.reload} />
                    <SetCredentials config={config} onDone={list.reload} />
                    <Remove config={config} onDone={list.reload} />
                  </div>
                )
              }
            ]}
          />
        )}
      </Listing>
    </>
  )
}
