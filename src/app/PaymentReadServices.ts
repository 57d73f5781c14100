/** Reads payments and the operations queue, for commands that need no other part of the service. */
import { Layer } from "effect"
import { ReplayedAnswers, Payments } from "../payments/read/Payments.ts"
import { paymentStoreSql } from "../payments/store/PaymentSql.ts"
import { Organizations } from "../people/organizations/Organizations.ts"
import { AuditLog } from "../platform/audit/AuditLog.ts"
import { EventPublisher } from "../webhooks/EventPublisher.ts"
import { WebhookLog } from "../webhooks/delivery/WebhookLog.ts"
import { incomingTransferStoreSql } from "../treasury/accounts/IncomingTransferStore.ts"
import { escrowPayoutStoreSql } from "../treasury/escrow/EscrowPayoutStore.ts"
import { type DatabaseLayer, graphOn } from "./Graph.ts"
import { OtherItemsLive } from "./Ports.ts"
import { RecordStoresLive } from "./RecordServices.ts"

const StoresLive = Layer.mergeAll(RecordStoresLive, escrowPayoutStoreSql, incomingTransferStoreSql, paymentStoreSql)

/** Commands never replay the answer to an interrupted request. */
const NoReplayedAnswers = Layer.succeed(ReplayedAnswers, {})

/** Payments, the operations queue and their events; needs the replayed answers of virtual accounts and escrows. */
export const PaymentReadServices = Payments.layer.pipe(
  Layer.provideMerge(Organizations.layer),
  Layer.provide(OtherItemsLive),
  Layer.provideMerge(WebhookLog.layer),
  Layer.provideMerge(Layer.merge(AuditLog.layer, EventPublisher.layer))
)

export const paymentReadServicesOn = <E>(Connected: DatabaseLayer<E>) =>
  graphOn(Connected, {
    services: PaymentReadServices.pipe(Layer.provide(NoReplayedAnswers)),
    stores: StoresLive,
    settings: Layer.empty
  })
