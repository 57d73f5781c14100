import type { BoundCall } from "../../api/ConsoleApi.ts"
import { Loading, PagedList } from "../../components/Loading.tsx"
import { Card, Page } from "../../components/PageFrame.tsx"
import { useLoad, usePages } from "../../state/LoadHooks.ts"
import { chosenOrg, hasAccess, orgFilter, orgId, session } from "../../state/ConsoleSession.ts"
import { ProviderHealth } from "../providers/ProviderHealthCards.tsx"
import { BalancesCard } from "./BalancesCard.tsx"
import { byPaymentCount } from "./BalanceOrder.ts"
import { Figures, type TrendsData, Trends } from "./PaymentTrends.tsx"
import { Field, Form } from "../../components/Form.tsx"
import { go } from "../../state/HashRouter.ts"
import { noPayments, PaymentTable } from "../payments/PaymentTable.tsx"

const SHOWN = 6

const LatestPayments = () => {
  const list = usePages(
    (get) => get("payments", "transactions", { urlParams: { ...orgFilter(), limit: SHOWN } }),
    [orgId.value]
  )
  return (
    <Card title="Latest payments" actions={<a href="#/payments">All payments</a>}>
      <PagedList list={{ ...list, more: undefined }} empty={noPayments}>
        {(items) => <PaymentTable payments={items} brief />}
      </PagedList>
    </Card>
  )
}

/** For members who may open a payment by id, but not list payments. */
const Welcome = ({ name }: { readonly name: string }) => (
  <Card title="Welcome">
    <p class="explanation">
      You are signed in to {name} as a member. The menu has the pages that your role can open. Ask an org admin for more
      permissions.
    </p>
    <Form submit="Open" onSubmit={async ({ id = "" }) => go(`payments/${id}`)}>
      <Field name="id" label="A payment's id" placeholder="0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88" required />
    </Form>
  </Card>
)

/** Trends of one organisation, or of all for a platform admin. */
const loadTrends = async (get: BoundCall, org: string | undefined) =>
  org === undefined ? get("analytics", "trends", {}) : get("analytics", "organizationTrends", { path: { org_id: org } })

/** Trends have no counts by currency, so the latest payments show which currencies are in use. */
const LATEST = 50

const loadUsedCurrencies = async (get: BoundCall): Promise<ReadonlyArray<string>> => {
  if (!hasAccess("transactions")) return [session.value?.organization?.currency ?? ""]
  const urlParams = { ...orgFilter(), status: "completed" as const, limit: LATEST }
  const { data } = await get("payments", "transactions", { urlParams })
  return data.map(({ currency }) => currency)
}

const loadNumbers = async (get: BoundCall, org: string | undefined): Promise<TrendsData> => {
  const [{ data }, used] = await Promise.all([loadTrends(get, org), loadUsedCurrencies(get)])
  return { ...data, totals: { ...data.totals, volume: byPaymentCount(data.totals.volume, used) } }
}

const Numbers = () => {
  const org = orgId.value
  const loaded = useLoad((get) => loadNumbers(get, org), [org])
  return (
    <Loading loaded={loaded}>
      {(trends) => (
        <>
          <Figures trends={trends} />
          <Trends trends={trends} />
        </>
      )}
    </Loading>
  )
}

export const OverviewPage = () => {
  const org = orgId.value
  const name = session.value?.organization?.name ?? "All organisations"
  return (
    <Page title="Overview" lead={name}>
      {hasAccess("reports") ? (
        <>
          <Numbers />
          <div class="columns">
            {org !== undefined && <BalancesCard org={org} />}
            {hasAccess("transactions") && <LatestPayments />}
          </div>
          {hasAccess("platform") && chosenOrg.value === undefined && (
            <Card title="Providers in the last hour">
              <ProviderHealth />
            </Card>
          )}
        </>
      ) : (
        <Welcome name={name} />
      )}
    </Page>
  )
}
