/** Every store, on PostgreSQL or in memory: the one seam at which a test swaps the database out. */
import { Layer } from "effect"
import { VirtualAccountStore } from "../accounts/VirtualAccountStore.ts"
import { VirtualTransactionStore } from "../accounts/VirtualTransactionStore.ts"
import { AnalyticsStore } from "../analytics/AnalyticsStore.ts"
import { ClosedDays } from "../analytics/ClosedDays.ts"
import { ApiKeyStore } from "../apiKeys/ApiKeyStore.ts"
import { AuditStore } from "../audit/AuditStore.ts"
import { CallerStore } from "../auth/CallerStore.ts"
import { BeneficiaryStore } from "../beneficiaries/BeneficiaryStore.ts"
import { EscrowStore } from "../escrow/EscrowStore.ts"
import { FeeRuleStore } from "../fees/FeeRuleStore.ts"
import { MemoryTables } from "../database/MemoryTables.ts"
import { Transactor } from "../database/Transactor.ts"
import { Readiness } from "../http/SystemRoutes.ts"
import { IdempotencyStore } from "../idempotency/IdempotencyStore.ts"
import { OwnerStore } from "../idempotency/OwnerStore.ts"
import { LedgerStore } from "../ledger/LedgerStore.ts"
import { LinkStore } from "../links/LinkStore.ts"
import { KybStore } from "../kyb/KybStore.ts"
import { MessageCounts } from "../notifications/MessageCounts.ts"
import { NotificationStore } from "../notifications/NotificationStore.ts"
import { InvitationStore } from "../members/InvitationStore.ts"
import { MemberStore } from "../members/MemberStore.ts"
import { OrganizationStore } from "../organizations/OrganizationStore.ts"
import { PaymentStore } from "../payments/PaymentStore.ts"
import { StrayCallbackStore } from "../payments/StrayCallbackStore.ts"
import { ProviderConfigStore } from "../providers/ProviderConfigStore.ts"
import { RailStore } from "../rails/RailStore.ts"
import { RateLockStore } from "../rates/RateLockStore.ts"
import { RateStore } from "../rates/RateStore.ts"
import { SecretStore } from "../secrets/SecretStore.ts"
import { UserStore } from "../users/UserStore.ts"
import { VerificationStore } from "../verification/VerificationStore.ts"
import { DeadLetterStore } from "../webhooks/delivery/DeadLetterStore.ts"
import { QueueStore } from "../webhooks/delivery/QueueStore.ts"
import { DeliveryStore } from "../webhooks/DeliveryStore.ts"
import { EventStore } from "../webhooks/EventStore.ts"
import { TroubleStore } from "../webhooks/TroubleStore.ts"
import { WebhookStore } from "../webhooks/WebhookStore.ts"

export const StoresLive = Layer.mergeAll(
  Transactor.layer,
  AnalyticsStore.layer,
  ApiKeyStore.layer,
  AuditStore.layer,
  BeneficiaryStore.layer,
  CallerStore.layer,
  ClosedDays.layer,
  DeadLetterStore.layer,
  DeliveryStore.layer,
  EscrowStore.layer,
  EventStore.layer,
  FeeRuleStore.layer,
  IdempotencyStore.layer,
  LedgerStore.layer,
  LinkStore.layer,
  KybStore.layer,
  MessageCounts.layer,
  NotificationStore.layer,
  InvitationStore.layer,
  MemberStore.layer,
  OrganizationStore.layer,
  OwnerStore.layer,
  PaymentStore.layer,
  ProviderConfigStore.layer,
  QueueStore.layer,
  RailStore.layer,
  RateLockStore.layer,
  RateStore.layer,
  Readiness.layer,
  SecretStore.layer,
  StrayCallbackStore.layer,
  TroubleStore.layer,
  UserStore.layer,
  VerificationStore.layer,
  VirtualAccountStore.layer,
  VirtualTransactionStore.layer,
  WebhookStore.layer
)

export const StoresMemory = Layer.mergeAll(
  Transactor.layerMemory,
  AnalyticsStore.layerMemory,
  ApiKeyStore.layerMemory,
  AuditStore.layerMemory,
  BeneficiaryStore.layerMemory,
  CallerStore.layerMemory,
  ClosedDays.layerMemory,
  DeadLetterStore.layerMemory,
  DeliveryStore.layerMemory,
  EscrowStore.layerMemory,
  EventStore.layerMemory,
  FeeRuleStore.layerMemory,
  IdempotencyStore.layerMemory,
  LedgerStore.layerMemory,
  LinkStore.layerMemory,
  KybStore.layerMemory,
  MessageCounts.layerMemory,
  NotificationStore.layerMemory,
  InvitationStore.layerMemory,
  MemberStore.layerMemory,
  OrganizationStore.layerMemory,
  OwnerStore.layerMemory,
  PaymentStore.layerMemory,
  ProviderConfigStore.layerMemory,
  QueueStore.layerMemory,
  RailStore.layerMemory,
  RateLockStore.layerMemory,
  RateStore.layerMemory,
  Readiness.layerMemory,
  SecretStore.layerMemory,
  StrayCallbackStore.layerMemory,
  TroubleStore.layerMemory,
  UserStore.layerMemory,
  VerificationStore.layerMemory,
  VirtualAccountStore.layerMemory,
  VirtualTransactionStore.layerMemory,
  WebhookStore.layerMemory
).pipe(Layer.provide(MemoryTables.layer))
