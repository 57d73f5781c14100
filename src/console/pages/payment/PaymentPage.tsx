import { call } from "../../api/Api.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Card } from "../../parts/Card.tsx"
import { LoadedPage } from "../../parts/LoadedPage.tsx"
import { Id } from "../../parts/Id.tsx"
import { Money } from "../../parts/Money.tsx"
import { Page } from "../../parts/Page.tsx"
import { Time } from "../../parts/Time.tsx"
import { useLoad } from "../../state/Load.ts"
import { nameOf } from "../../state/Words.ts"
import { partyOf } from "../payments/PaymentTable.tsx"
import { Actions } from "./Actions.tsx"
import { Details } from "./Details.tsx"
import { MoneyNow } from "./MoneyNow.tsx"
import { Refunds } from "./Refunds.tsx"
import { Story } from "./Story.tsx"
import { Track } from "./Track.tsx"

const load = async (id: string, signal: AbortSignal) => {
  const path = { payment_id: id }
  const [payment, timeline] = await Promise.all([
    call("payments", "byId", { path }, { signal }),
    call("payments", "timeline", { path }, { signal })
  ])
  return { payment, items: timeline.data.items }
}

const settled = ["completed", "failed", "refunded", "rejected", "canceled"]

const POLL = 3000

const above = ["#/payments", "Payments"] as const

type Whole = Awaited<ReturnType<typeof load>>

const Shown = ({ items, onDone, payment }: Whole & { readonly onDone: () => void }) => {
  const party = partyOf(payment)
  return (
    <Page
      title={payment.client_reference ?? "Payment"}
      above={above}
      lead={
        <>
          <p class="headline">
            <Money amount={payment.amount} currency={payment.currency} />
            <Badge status={payment.status} />
          </p>
          <p class="muted">
            {nameOf(payment.direction)} by {nameOf(payment.payment_method).toLowerCase()}
            {party !== "" && ` · ${party}`} · <Time at={payment.created_at} />
          </p>
          <p>
            <Id id={payment.payment_id} what="the payment's id" whole />
          </p>
        </>
      }
      actions={<Actions payment={payment} items={items} onDone={onDone} />}
    >
      <MoneyNow payment={payment} />
      <Card title="What happened" note="Time is drawn closer together where little happens.">
        <Track items={items} settled={settled.includes(payment.status)} />
      </Card>
      <div class="columns lean-left">
        <Card title="Step by step">
          <Story items={items} />
        </Card>
        <div class="stack">
          {payment.refunds.length > 0 && <Refunds payment={payment} />}
          <Details payment={payment} />
        </div>
      </div>
    </Page>
  )
}

export const PaymentPage = ({ id }: { readonly id: string }) => {
  const loaded = useLoad((signal) => load(id, signal), [id], POLL)
  return (
    <LoadedPage title="Payment" above={above} loaded={loaded}>
      {(whole) => <Shown {...whole} onDone={loaded.reload} />}
    </LoadedPage>
  )
}
