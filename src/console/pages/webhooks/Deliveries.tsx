import { type Answer, call } from "../../api/Api.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Field } from "../../parts/Field.tsx"
import { Listing } from "../../parts/Listing.tsx"
import { orgColumn } from "../../parts/OrgColumn.tsx"
import { Table } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import { useAll } from "../../state/All.ts"
import { usePages } from "../../state/Pages.ts"
import { linkTo, route, setQuery } from "../../state/Router.ts"
import { may, ofOrg, orgId } from "../../state/Session.ts"
import { sentence } from "../../state/Words.ts"
import { Replay } from "./Replay.tsx"

type Delivery = Answer<"webhookLog", "deliveries">["data"][number]

const statuses = [
  ["", "Any status"],
  ["pending", "Pending"],
  ["delivered", "Delivered"],
  ["dead", "Dead"]
] as const

const hostOf = (address: string): string => address.replace(/^https?:\/\//, "")

const useEndpoints = () => {
  const { data = [] } = useAll(
    (page, signal) => call("webhooks", "list", { urlParams: { ...ofOrg(), ...page } }, { signal }),
    [orgId.value]
  )
  return new Map(data.map((endpoint) => [endpoint.webhook_id, endpoint]))
}

const said = ({ attempts, last_error, last_status_code }: Delivery): string => {
  const words = last_error ?? (last_status_code === null ? "" : `answered ${last_status_code}`)
  return words === "" ? "" : sentence(attempts > 1 ? `${words} (${attempts} attempts)` : words)
}

export const Deliveries = () => {
  const { status = "", webhook_id = "" } = Object.fromEntries(route.value.query)
  const endpoints = useEndpoints()
  const list = usePages(
    (cursor, signal) =>
      call(
        "webhookLog",
        "deliveries",
        {
          urlParams: {
            ...ofOrg(),
            limit: 25,
            ...(status === "" ? {} : { status: status as Delivery["status"] }),
            ...(webhook_id === "" ? {} : { webhook_id }),
            last_evaluated_key: cursor
          }
        },
        { signal }
      ),
    [status, webhook_id, orgId.value]
  )
  return (
    <>
      <div class="filters">
        <Field
          name="status"
          label="Status"
          options={statuses}
          value={status}
          onInput={(value) => setQuery({ status: value, webhook_id })}
        />
        <Field
          name="webhook_id"
          label="Endpoint"
          options={[
            ["", "Any endpoint"],
            ...Array.from(endpoints, ([id, { endpoint_url }]) => [id, hostOf(endpoint_url)] as const)
          ]}
          value={webhook_id}
          onInput={(value) => setQuery({ status, webhook_id: value })}
        />
      </div>
      <Listing
        list={list}
        empty={
          <Empty icon="webhooks" title="No deliveries">
            Nothing was sent yet, or nothing fits what you look for.
          </Empty>
        }
      >
        {(items) => (
          <Table
            caption="Deliveries"
            rows={items}
            keyOf={({ delivery_id }) => delivery_id}
            hrefOf={({ delivery_id }) => linkTo(`webhooks/deliveries/${delivery_id}`)}
            columns={[
              { name: "Event", show: ({ event_type }) => <code>{event_type}</code> },
              { name: "Status", show: (delivery) => <Badge status={delivery.status} /> },
              {
                name: "Endpoint",
                below: true,
                show: (delivery) => hostOf(endpoints.get(delivery.webhook_id)?.endpoint_url ?? "–")
              },
              ...orgColumn<Delivery>((delivery) => endpoints.get(delivery.webhook_id)?.org_id),
              { name: "Last answer", below: true, show: said },
              { name: "Created", align: "end", show: ({ created_at }) => <Time at={created_at} /> },
              ...(may("webhooks")
                ? [
                    {
                      name: "Actions",
                      quiet: true,
                      align: "end" as const,
                      show: ({ delivery_id, event_type, status: now }: Delivery) =>
                        now !== "dead" ? null : (
                          <Replay deliveryId={delivery_id} name={event_type} onDone={list.reload} />
                        )
                    }
                  ]
                : [])
            ]}
          />
        )}
      </Listing>
    </>
  )
}
