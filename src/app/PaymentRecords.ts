/** Reads payments and items that wait for a person, for commands that do no more. */
import { Layer } from "effect"
import { FundingAnswers } from "../payments/read/FundingAnswers.ts"
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
import { escrowPayoutStoreSql } from "../treasury/escrow/EscrowPayoutSql.ts"
import { foundedOn, type Reached } from "./Foundation.ts"
import { OtherItemsLive } from "./HandedDown.ts"

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

/** Commands never ask for the answer to a request that was cut off. */
const NoFundingAnswers = Layer.succeed(FundingAnswers, {})

/** On a database that is reached in the given way. */
export const paymentRecordsOn = <E>(Connected: Reached<E>) =>
  layerInTurn(
    Payments.layer.pipe(
      Layer.provide(NoFundingAnswers),
      Layer.provideMerge(Organizations.layer),
      Layer.provide([OtherItemsLive, WebhookLog.layer]),
      Layer.provide([AuditLog.layer, Events.layer]),
      Layer.provide(StoresLive),
      Layer.provideMerge(foundedOn(Connected)),
      Layer.provideMerge(Settings.layer)
    )
  )
