import type { Answer } from "../api/ConsoleApi.ts"
import { amountText } from "../api/Amount.ts"
import { Badge } from "../components/Badge.tsx"
import { orgColumn, Table } from "../components/DataTable.tsx"
import { ActionButton } from "../components/Dialog.tsx"
import { Loading } from "../components/Loading.tsx"
import { Card, Page } from "../components/PageFrame.tsx"
import { Time } from "../components/Values.tsx"
import { useLoad } from "../state/LoadHooks.ts"
import { isAdmin, hasAccess, orgFilter, orgId } from "../state/ConsoleSession.ts"
import { labelOf } from "../state/Display.ts"

type Listed = Answer<"rates", "list">["data"]
type BaseRate = Listed["rates"][number]
type Proposal = Listed["proposals"][number]
type Source = Listed["sources"][number]

const pairOf = ({ from_currency, to_currency }: Pick<BaseRate, "from_currency" | "to_currency">): string =>
  `${from_currency} to ${to_currency}`

const pairColumns = [
  { name: "Pair", show: (row: BaseRate | Proposal) => <strong class="nowrap">{pairOf(row)}</strong> },
  {
    name: "Rate",
    align: "end" as const,
    show: ({ rate }: BaseRate | Proposal) => <span class="money">{amountText(rate)}</span>
  },
  { name: "Source", show: ({ source }: BaseRate | Proposal) => <span class="clipped">{source}</span> }
]

const timeOr = (at: string | null, none: string) => (at === null ? <span class="muted">{none}</span> : <Time at={at} />)

const Confirm = ({ proposal }: { readonly proposal: Proposal }) => {
  const { from_currency, rate, to_currency } = proposal
  return (
    <ActionButton
      name="Approve"
      label={`Approve ${pairOf(proposal)}`}
      title="Approve the rate"
      kind="primary"
      explanation={`One ${from_currency} is worth ${amountText(rate)} ${to_currency}. The rate before is more than 10 percent away. Compare it with another source first. A rate that a person proposed needs another person.`}
      done="Rate approved"
      act={async (_, send) => {
        const { data, message } = await send("rates", "set", { payload: { from_currency, to_currency, rate } })
        if (data.status === "proposed") throw new Error(message)
      }}
    />
  )
}

const Sources = ({ sources }: { readonly sources: ReadonlyArray<Source> }) =>
  sources.length === 0 ? (
    <p class="muted">Rates are set by hand. RATE_SOURCE names sources that are fetched.</p>
  ) : (
    <Table
      caption="Sources of rates"
      rows={sources}
      keyOf={({ source }) => source}
      columns={[
        { name: "Source", show: ({ source }) => <strong class="clipped">{source}</strong> },
        {
          name: "Status",
          show: ({ failures, fetched_at }) =>
            failures > 0 ? (
              <Badge status="failed" words={`${failures} failed`} />
            ) : (
              <Badge status={fetched_at === null ? "pending" : "active"} />
            )
        },
        { name: "Problem", below: true, show: ({ last_error }) => last_error },
        { name: "Published", wide: true, show: ({ published_at }) => timeOr(published_at, "Not said") },
        { name: "Fetched", align: "end", show: ({ fetched_at }) => timeOr(fetched_at, "Not yet") }
      ]}
    />
  )

type Fee = Answer<"fees", "list">["data"][number]

const feeOf = ({ basis_points, fixed_amount, fixed_currency }: Fee): string =>
  [
    ...(basis_points === 0 ? [] : [`${basis_points / 100} %`]),
    ...(fixed_amount === null ? [] : [`${amountText(fixed_amount)} ${fixed_currency}`])
  ].join(" plus ")

const Fees = () => {
  const loaded = useLoad((get) => get("fees", "list", { urlParams: orgFilter() }), [orgId.value])
  return (
    <Card
      title="Fees"
      note={`${isAdmin.value ? "Set with “corridor fees set”." : "Set by the operator of the service."} Payments without a rule are free.`}
    >
      <Loading loaded={loaded}>
        {({ data }) => (
          <Table
            caption="Fees"
            rows={data}
            empty={["money", "No fees"]}
            keyOf={({ fee_rule_id }) => fee_rule_id}
            columns={[
              ...orgColumn<Fee>(({ org_id }) => org_id),
              {
                name: "Payments",
                show: (fee) => `${labelOf(fee.direction)}, ${labelOf(fee.payment_method).toLowerCase()}`
              },
              { name: "Fee", align: "end", show: (fee) => <span class="money">{feeOf(fee)}</span> },
              { name: "Set", align: "end", wide: true, show: ({ updated_at }) => <Time at={updated_at} relative /> }
            ]}
          />
        )}
      </Loading>
    </Card>
  )
}

export const RatesPage = () =>
  hasAccess("platform") ? (
    <BaseRates />
  ) : (
    <Page title="Rates and fees" lead="Fees of your organisation.">
      <Fees />
    </Page>
  )

const BaseRates = () => {
  const loaded = useLoad(async (get) => (await get("rates", "list", {})).data, [], 60_000)
  return (
    <Page
      title="Rates and fees"
      lead="Base rates with source and age, and the fees of organisations."
      reload={loaded.reload}
    >
      <Loading loaded={loaded}>
        {({ proposals, rates, sources }) => (
          <div class="stack">
            {proposals.length > 0 && (
              <Card title="Rates to approve" note="They move by more than 10 percent and are not used yet.">
                <Table
                  caption="Rates to approve"
                  rows={proposals}
                  keyOf={pairOf}
                  columns={[
                    ...pairColumns,
                    { name: "Proposed", align: "end", show: ({ proposed_at }) => <Time at={proposed_at} /> }
                  ]}
                  actions={(proposal) => <Confirm proposal={proposal} />}
                />
              </Card>
            )}
            <Fees />
            <Card title="Sources">
              <Sources sources={sources} />
            </Card>
            <Table
              caption="Exchange rates"
              rows={rates}
              empty={["money", "No rates", "Payments in one currency work without them."]}
              keyOf={pairOf}
              columns={[
                ...pairColumns,
                {
                  name: "Published",
                  wide: true,
                  show: ({ published_at }) => timeOr(published_at, "Not said")
                },
                { name: "Age", align: "end", show: ({ updated_at }) => <Time at={updated_at} relative /> }
              ]}
            />
          </div>
        )}
      </Loading>
    </Page>
  )
}
