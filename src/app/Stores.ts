/** Every store, on PostgreSQL or in memory: the one seam at which a test swaps the database out. */
import { Layer } from "effect"
import { VirtualAccountStore } from "../treasury/accounts/VirtualAccountStore.ts"
import { VirtualTransactionStore } from "../treasury/accounts/VirtualTransactionStore.ts"
import { AnalyticsStore } from "../payments/analytics/AnalyticsStore.ts"
import { ClosedDays } from "../payments/analytics/ClosedDays.ts"
import { apiKeyStoreMemory } from "../people/apiKeys/ApiKeyMemory.ts"
import { apiKeyStoreSql } from "../people/apiKeys/ApiKeySql.ts"
import { auditStoreMemory } from "../platform/audit/AuditMemory.ts"
import { auditStoreSql } from "../platform/audit/AuditSql.ts"
import { callerStoreMemory } from "../people/auth/CallerMemory.ts"
import { callerStoreSql } from "../people/auth/CallerSql.ts"
import { BeneficiaryStore } from "../payments/beneficiaries/BeneficiaryStore.ts"
import { EscrowStore } from "../treasury/escrow/EscrowStore.ts"
import { FeeRuleStore } from "../money/fees/FeeRuleStore.ts"
import { MemoryDatabase } from "../platform/database/MemoryDatabase.ts"
import { Transactor } from "../platform/database/Transactor.ts"
import { Readiness } from "../platform/http/SystemRoutes.ts"
import { idempotencyStoreMemory } from "../platform/idempotency/IdempotencyMemory.ts"
import { idempotencyStoreSql } from "../platform/idempotency/IdempotencySql.ts"
import { ownersMemory } from "../platform/idempotency/OwnersMemory.ts"
import { ownersSql } from "../platform/idempotency/OwnersSql.ts"
import { LedgerStore } from "../money/ledger/LedgerStore.ts"
import { LinkStore } from "../hosted/links/LinkStore.ts"
import { kybStoreMemory } from "../people/kyb/KybMemory.ts"
import { kybStoreSql } from "../people/kyb/KybSql.ts"
import { messageCountsMemory } from "../platform/notifications/MessageCountsMemory.ts"
import { messageCountsSql } from "../platform/notifications/MessageCountsSql.ts"
import { notificationStoreMemory } from "../platform/notifications/NotificationMemory.ts"
import { notificationStoreSql } from "../platform/notifications/NotificationSql.ts"
import { invitationStoreMemory } from "../people/members/InvitationMemory.ts"
import { invitationStoreSql } from "../people/members/InvitationSql.ts"
import { memberStoreMemory } from "../people/members/MemberMemory.ts"
import { memberStoreSql } from "../people/members/MemberSql.ts"
import { organizationStoreMemory } from "../people/organizations/OrganizationMemory.ts"
import { organizationStoreSql } from "../people/organizations/OrganizationSql.ts"
import { PaymentStore } from "../payments/store/PaymentStore.ts"
import { StrayCallbackStore } from "../payments/store/StrayCallbackStore.ts"
import { ProviderConfigStore } from "../providers/configs/ProviderConfigStore.ts"
import { RailStore } from "../providers/sandbox/RailStore.ts"
import { RateLockStore } from "../money/rates/RateLockStore.ts"
import { RateStore } from "../money/rates/RateStore.ts"
import { secretStoreMemory } from "../platform/secrets/SecretMemory.ts"
import { secretStoreSql } from "../platform/secrets/SecretSql.ts"
import { userStoreMemory } from "../people/users/UserMemory.ts"
import { userStoreSql } from "../people/users/UserSql.ts"
import { verificationStoreMemory } from "../people/verification/VerificationMemory.ts"
import { verificationStoreSql } from "../people/verification/VerificationSql.ts"
import { deadLetterStoreMemory } from "../webhooks/delivery/DeadLetterMemory.ts"
import { deadLetterStoreSql } from "../webhooks/delivery/DeadLetterSql.ts"
import { queueStoreMemory } from "../webhooks/delivery/QueueMemory.ts"
import { queueStoreSql } from "../webhooks/delivery/QueueSql.ts"
import { deliveryStoreMemory } from "../webhooks/DeliveryMemory.ts"
import { deliveryStoreSql } from "../webhooks/DeliverySql.ts"
import { eventStoreMemory } from "../webhooks/EventMemory.ts"
import { eventStoreSql } from "../webhooks/EventSql.ts"
import { webhookIssuesMemory } from "../webhooks/WebhookIssuesMemory.ts"
import { webhookIssuesSql } from "../webhooks/WebhookIssuesSql.ts"
import { webhookStoreMemory } from "../webhooks/WebhookMemory.ts"
import { webhookStoreSql } from "../webhooks/WebhookSql.ts"

export const StoresLive = Layer.mergeAll(
  Transactor.layer,
  AnalyticsStore.layer,
  apiKeyStoreSql,
  auditStoreSql,
  BeneficiaryStore.layer,
  callerStoreSql,
  ClosedDays.layer,
  deadLetterStoreSql,
  deliveryStoreSql,
  EscrowStore.layer,
  eventStoreSql,
  FeeRuleStore.layer,
  idempotencyStoreSql,
  LedgerStore.layer,
  LinkStore.layer,
  kybStoreSql,
  messageCountsSql,
  notificationStoreSql,
  invitationStoreSql,
  memberStoreSql,
  organizationStoreSql,
  ownersSql,
  PaymentStore.layer,
  ProviderConfigStore.layer,
  queueStoreSql,
  RailStore.layer,
  RateLockStore.layer,
  RateStore.layer,
  Readiness.layer,
  secretStoreSql,
  StrayCallbackStore.layer,
  webhookIssuesSql,
  userStoreSql,
  verificationStoreSql,
  VirtualAccountStore.layer,
  VirtualTransactionStore.layer,
  webhookStoreSql
)

export const StoresMemory = Layer.mergeAll(
  Transactor.layerMemory,
  AnalyticsStore.layerMemory,
  apiKeyStoreMemory,
  auditStoreMemory,
  BeneficiaryStore.layerMemory,
  callerStoreMemory,
  ClosedDays.layerMemory,
  deadLetterStoreMemory,
  deliveryStoreMemory,
  EscrowStore.layerMemory,
  eventStoreMemory,
  FeeRuleStore.layerMemory,
  idempotencyStoreMemory,
  LedgerStore.layerMemory,
  LinkStore.layerMemory,
  kybStoreMemory,
  messageCountsMemory,
  notificationStoreMemory,
  invitationStoreMemory,
  memberStoreMemory,
  organizationStoreMemory,
  ownersMemory,
  PaymentStore.layerMemory,
  ProviderConfigStore.layerMemory,
  queueStoreMemory,
  RailStore.layerMemory,
  RateLockStore.layerMemory,
  RateStore.layerMemory,
  Readiness.layerMemory,
  secretStoreMemory,
  StrayCallbackStore.layerMemory,
  webhookIssuesMemory,
  userStoreMemory,
  verificationStoreMemory,
  VirtualAccountStore.layerMemory,
  VirtualTransactionStore.layerMemory,
  webhookStoreMemory
).pipe(Layer.provide(MemoryDatabase.layer))
