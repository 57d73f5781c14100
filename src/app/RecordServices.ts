/**
 * Records of organisations, people, KYB, keys, rates, fees, accounts, the ledger and webhook endpoints. Commands that need
 * no more start faster, without payments, providers and pages.
 */
import { Layer } from "effect"
import { Fees, feeRuleStoreSql } from "../money/fees/Fees.ts"
import { Ledger } from "../money/ledger/Ledger.ts"
import { RateQuote } from "../money/rates/RateQuote.ts"
import { Rates } from "../money/rates/Rates.ts"
import { ApiKeys } from "../people/apiKeys/ApiKeys.ts"
import { Kyb } from "../people/kyb/Kyb.ts"
import { kybStoreSql } from "../people/kyb/KybStore.ts"
import { Members } from "../people/members/Members.ts"
import { Organizations } from "../people/organizations/Organizations.ts"
import { Users } from "../people/users/Users.ts"
import { AuditLog, auditStoreSql } from "../platform/audit/AuditLog.ts"
import { Outbox, notificationStoreSql } from "../platform/notifications/NotificationStore.ts"
import { Secrets, secretStoreSql } from "../platform/secrets/Secrets.ts"
import { VirtualAccounts } from "../treasury/accounts/VirtualAccounts.ts"
import { EventPublisher } from "../webhooks/EventPublisher.ts"
import { Webhooks } from "../webhooks/Webhooks.ts"
import { DeadLetters } from "../webhooks/delivery/DeadLetters.ts"
import { WebhookLog } from "../webhooks/delivery/WebhookLog.ts"
import { apiKeyStoreSql } from "../people/apiKeys/ApiKeyStore.ts"
import { invitationStoreSql, memberStoreSql } from "../people/members/MemberStore.ts"
import { ledgerStoreSql } from "../money/ledger/LedgerSql.ts"
import { organizationStoreSql } from "../people/organizations/OrganizationStore.ts"
import { rateLockStoreSql } from "../money/rates/RateLockStore.ts"
import { rateStoreSql } from "../money/rates/RateStore.ts"
import { userStoreSql } from "../people/users/UserStore.ts"
import { virtualAccountStoreSql, virtualTransactionStoreSql } from "../treasury/accounts/VirtualAccountStore.ts"
import { Transactor } from "../platform/database/Transactor.ts"
import { type DatabaseLayer, graphOn } from "./Graph.ts"
import { eventStoreSql } from "../webhooks/EventStore.ts"
import { webhookStoreSql } from "../webhooks/WebhookStore.ts"
import { deadLetterStoreSql } from "../webhooks/delivery/DeadLetterStore.ts"
import { deliveryStoreSql } from "../webhooks/delivery/DeliveryStore.ts"

export const RecordStoresLive = Layer.mergeAll(
  Transactor.layer,
  apiKeyStoreSql,
  auditStoreSql,
  deadLetterStoreSql,
  deliveryStoreSql,
  eventStoreSql,
  feeRuleStoreSql,
  invitationStoreSql,
  kybStoreSql,
  ledgerStoreSql,
  memberStoreSql,
  notificationStoreSql,
  organizationStoreSql,
  rateLockStoreSql,
  rateStoreSql,
  secretStoreSql,
  userStoreSql,
  virtualAccountStoreSql,
  virtualTransactionStoreSql,
  webhookStoreSql
)

export const RecordServices = Layer.mergeAll(
  DeadLetters.layer,
  Fees.layer,
  Kyb.layer,
  Members.layer,
  Outbox.layer,
  Rates.layer.pipe(Layer.provideMerge(RateQuote.layer)),
  VirtualAccounts.layer,
  WebhookLog.layer,
  Webhooks.layer
).pipe(
  Layer.provideMerge(Layer.merge(ApiKeys.layer, Ledger.layer)),
  Layer.provideMerge(Users.layer),
  Layer.provideMerge(Organizations.layer),
  Layer.provideMerge(Layer.mergeAll(AuditLog.layer, EventPublisher.layer, Secrets.layer))
)

export const recordServicesOn = <E>(Connected: DatabaseLayer<E>) =>
  graphOn(Connected, { services: RecordServices, stores: RecordStoresLive, settings: Layer.empty })
