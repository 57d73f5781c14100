/**
 * The part of the service that reads payments and what waits for a person, for whoever does no more. Nobody asks it for an
 * answer that was lost, so accounts have no say in it.
 */
import { Layer } from "effect"
import { Payments } from "../payments/read/Payments.ts"
import { paymentStoreSql } from "../payments/store/PaymentSql.ts"
import { organizationStoreSql } from "../people/organizations/OrganizationSql.ts"
import { Organizations } from "../people/organizations/Organizations.ts"
import { AuditLog } from "../platform/audit/AuditLog.ts"
import { auditStoreSql } from "../platform/audit/AuditSql.ts"
import { Settings } from "../platform/config/Settings.ts"
import { Transactor } from "../platform/database/Transactor.ts"
import { layerInTurn } from "../platform/fibers/LayerInTurn.ts"
import { deliveryStoreSql } from "../webhooks/DeliverySql.ts"
import { Events } from "../webhooks/Events.ts"
import { eventStoreSql } from "../webhooks/EventSql.ts"
import { webhookIssuesSql } from "../webhooks/WebhookIssuesSql.ts"
import { WebhookLog } from "../webhooks/WebhookLog.ts"
import { OtherItemsLive } from "../treasury/escrow/PayoutItems.ts"
import { escrowPayoutStoreSql } from "../treasury/escrow/EscrowPayoutSql.ts"
import { foundedOn, type Reached } from "./Foundation.ts"

const StoresLive = Layer.mergeAll(
  Transactor.layer,
  auditStoreSql,
  deliveryStoreSql,
  escrowPayoutStoreSql,
  eventStoreSql,
  organizationStoreSql,
  paymentStoreSql,
  webhookIssuesSql
)

/** On a database that is reached in the given way. */
export const paymentRecordsOn = <E>(Connected: Reached<E>) =>
  layerInTurn(
    Payments.layer.pipe(
      Layer.provideMerge(Organizations.layer),
      Layer.provide([OtherItemsLive, WebhookLog.layer]),
      Layer.provide([AuditLog.layer, Events.layer]),
      Layer.provide(StoresLive),
      Layer.provideMerge(foundedOn(Connected)),
      Layer.provideMerge(Settings.layer)
    )
  )
