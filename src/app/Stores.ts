/** Layers of all stores, on PostgreSQL and in memory. */
import { Layer } from "effect"
import { linkStoreMemory } from "../hosted/links/LinkMemory.ts"
import { linkStoreSql } from "../hosted/links/LinkSql.ts"
import { feeRuleStoreMemory } from "../money/fees/FeeRuleMemory.ts"
import { ledgerStoreMemory } from "../money/ledger/LedgerMemory.ts"
import { rateLockStoreMemory } from "../money/rates/RateLockMemory.ts"
import { rateStoreMemory } from "../money/rates/RateMemory.ts"
import { analyticsStoreMemory } from "../payments/analytics/AnalyticsMemory.ts"
import { analyticsStoreSql } from "../payments/analytics/AnalyticsSql.ts"
import { beneficiaryStoreMemory } from "../payments/beneficiaries/BeneficiaryMemory.ts"
import { savedViewStoreMemory } from "../payments/views/SavedViewMemory.ts"
import { beneficiaryStoreSql } from "../payments/beneficiaries/Beneficiary.ts"
import { paymentStoreMemory } from "../payments/store/PaymentMemory.ts"
import { paymentStoreSql } from "../payments/store/PaymentSql.ts"
import { promptStoreMemory } from "../payments/prompts/PromptMemory.ts"
import { promptStoreSql } from "../payments/prompts/PhonePrompts.ts"
import { reserveStoreMemory } from "../payments/reserves/ReserveMemory.ts"
import { reserveStoreSql } from "../payments/reserves/Reserves.ts"
import { ruleStoreMemory } from "../payments/rules/RuleMemory.ts"
import { ruleStoreSql } from "../payments/rules/RuleStore.ts"
import { apiKeyStoreMemory } from "../people/apiKeys/ApiKeyMemory.ts"
import { callerStoreMemory } from "../people/auth/CallerMemory.ts"
import { callerStoreSql } from "../people/auth/CallerStore.ts"
import { kybStoreMemory } from "../people/kyb/KybMemory.ts"
import { kybStoreSql } from "../people/kyb/KybStore.ts"
import { invitationStoreMemory, memberStoreMemory } from "../people/members/MemberMemory.ts"
import { organizationStoreMemory } from "../people/organizations/OrganizationMemory.ts"
import { userStoreMemory } from "../people/users/UserMemory.ts"
import { verificationStoreMemory } from "../people/verification/VerificationMemory.ts"
import { verificationStoreSql } from "../people/verification/VerificationStore.ts"
import { auditStoreMemory } from "../platform/audit/AuditMemory.ts"
import { MemoryDatabase, transactorMemory } from "../platform/database/MemoryDatabase.ts"
import { rateLimitUsageMemory } from "../platform/rateLimits/RateLimitUsageMemory.ts"
import { Readiness } from "../platform/http/SystemRoutes.ts"
import { idempotencyStoreMemory, ownersMemory } from "../platform/idempotency/IdempotencyMemory.ts"
import { messageCountsMemory, notificationStoreMemory } from "../platform/notifications/NotificationMemory.ts"
import { partitionsMemory, partitionsSql } from "../platform/partitions/Partitions.ts"
import { secretStoreMemory } from "../platform/secrets/SecretMemory.ts"
import { platformAccountStoreMemory, providerAccountStoreMemory } from "../providers/accounts/ProviderAccountMemory.ts"
import { platformAccountStoreSql, providerAccountStoreSql } from "../providers/accounts/ProviderAccountStore.ts"
import { providerConfigStoreMemory } from "../providers/configs/ProviderConfigMemory.ts"
import { providerConfigStoreSql } from "../providers/configs/ProviderConfigStore.ts"
import { simulatorStoreMemory } from "../providers/sandbox/SimulatorMemory.ts"
import { simulatorStoreSql } from "../providers/sandbox/SimulatorSql.ts"
import { incomingTransferStoreMemory } from "../treasury/accounts/IncomingTransferMemory.ts"
import { incomingTransferStoreSql } from "../treasury/accounts/IncomingTransferStore.ts"
import { virtualAccountStoreMemory, virtualTransactionStoreMemory } from "../treasury/accounts/VirtualAccountMemory.ts"
import { escrowStoreMemory } from "../treasury/escrow/EscrowMemory.ts"
import { escrowPayoutStoreMemory } from "../treasury/escrow/EscrowPayoutMemory.ts"
import { escrowPayoutStoreSql } from "../treasury/escrow/EscrowPayoutStore.ts"
import { escrowStoreSql } from "../treasury/escrow/EscrowStore.ts"
import { deliveryStoreMemory } from "../webhooks/delivery/DeliveryMemory.ts"
import { eventStoreMemory } from "../webhooks/EventMemory.ts"
import { webhookStoreMemory } from "../webhooks/WebhookMemory.ts"
import { deadLetterStoreMemory } from "../webhooks/delivery/DeadLetterMemory.ts"
import { deliveryQueueMemory } from "../webhooks/delivery/DeliveryQueueMemory.ts"
import { deliveryQueueSql } from "../webhooks/delivery/DeliveryQueueSql.ts"
import { RecordStoresLive } from "./RecordServices.ts"
import { dueTimesMemory, dueTimesSql } from "./DueTimes.ts"
import { queueMetricsMemory, queueMetricsSql } from "./QueueMetrics.ts"
import { deliveryStoreSql } from "../webhooks/delivery/DeliveryStore.ts"
import { messageCountsSql } from "../platform/notifications/NotificationStore.ts"
import { idempotencyStoreSql, ownersSql } from "../platform/idempotency/IdempotencyStore.ts"
import { savedViewStoreSql } from "../payments/views/SavedViews.ts"
import { rateLimitUsageSql } from "../platform/rateLimits/RateLimits.ts"

export const StoresLive = Layer.mergeAll(
  RecordStoresLive,
  Readiness.layer,
  analyticsStoreSql,
  beneficiaryStoreSql,
  callerStoreSql,
  deliveryStoreSql,
  dueTimesSql,
  escrowPayoutStoreSql,
  escrowStoreSql,
  queueMetricsSql,
  idempotencyStoreSql,
  incomingTransferStoreSql,
  kybStoreSql,
  linkStoreSql,
  messageCountsSql,
  partitionsSql,
  ownersSql,
  paymentStoreSql,
  platformAccountStoreSql,
  providerAccountStoreSql,
  promptStoreSql,
  providerConfigStoreSql,
  deliveryQueueSql,
  simulatorStoreSql,
  rateLimitUsageSql,
  reserveStoreSql,
  ruleStoreSql,
  savedViewStoreSql,
  verificationStoreSql
)

/** On a given memory database, which several instances may share. */
export const StoresOverMemory = Layer.mergeAll(
  transactorMemory,
  Readiness.layerMemory,
  analyticsStoreMemory,
  apiKeyStoreMemory,
  auditStoreMemory,
  beneficiaryStoreMemory,
  callerStoreMemory,
  deadLetterStoreMemory,
  deliveryStoreMemory,
  dueTimesMemory,
  escrowPayoutStoreMemory,
  escrowStoreMemory,
  eventStoreMemory,
  feeRuleStoreMemory,
  queueMetricsMemory,
  idempotencyStoreMemory,
  incomingTransferStoreMemory,
  invitationStoreMemory,
  kybStoreMemory,
  ledgerStoreMemory,
  linkStoreMemory,
  memberStoreMemory,
  messageCountsMemory,
  partitionsMemory,
  notificationStoreMemory,
  organizationStoreMemory,
  ownersMemory,
  paymentStoreMemory,
  platformAccountStoreMemory,
  providerAccountStoreMemory,
  promptStoreMemory,
  providerConfigStoreMemory,
  deliveryQueueMemory,
  simulatorStoreMemory,
  rateLockStoreMemory,
  rateStoreMemory,
  ruleStoreMemory,
  savedViewStoreMemory,
  secretStoreMemory,
  rateLimitUsageMemory,
  reserveStoreMemory,
  userStoreMemory,
  verificationStoreMemory,
  virtualAccountStoreMemory,
  virtualTransactionStoreMemory,
  webhookStoreMemory
)

export const StoresMemory = StoresOverMemory.pipe(Layer.provide(MemoryDatabase.layer))
