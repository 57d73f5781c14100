/** The HTTP API: all groups of endpoints. The server interprets it; the typed client and the reference read it. */
import { HttpApi, OpenApi } from "@effect/platform"
import { AnalyticsApi } from "./AnalyticsApi.ts"
import { ApiKeysApi } from "./ApiKeysApi.ts"
import { AuditLogApi } from "./AuditLogApi.ts"
import { BalancesApi } from "./BalancesApi.ts"
import { BankValidationApi, BeneficiariesApi, NetworksApi } from "./BeneficiariesApi.ts"
import {
  BadRequest,
  Forbidden,
  InternalError,
  ServiceUnavailable,
  TooManyRequests,
  Unauthorized
} from "./ErrorSchemas.ts"
import { EscrowApi } from "./EscrowApi.ts"
import { InvitationsApi, MembersApi } from "./MembersApi.ts"
import { FeesApi } from "./FeesApi.ts"
import { introduction } from "./Introduction.ts"
import { KybApi } from "./KybApi.ts"
import { OrganizationsApi } from "./OrganizationsApi.ts"
import { PaymentLinksApi } from "./PaymentLinksApi.ts"
import { PaymentsApi } from "./PaymentsApi.ts"
import { PaymentsInitApi } from "./PaymentsInitApi.ts"
import { ProviderConfigsApi } from "./ProviderConfigsApi.ts"
import { RampsApi } from "./RampsApi.ts"
import { RatesApi } from "./RatesApi.ts"
import { ReservesApi } from "./ReservesApi.ts"
import { ResolutionsApi } from "./ResolutionsApi.ts"
import { RulesApi } from "./RulesApi.ts"
import { SavedViewsApi } from "./SavedViewsApi.ts"
import { SessionApi, UsersApi } from "./UsersApi.ts"
import { VerificationApi } from "./VerificationApi.ts"
import { VirtualAccountsApi } from "./VirtualAccountsApi.ts"
import { WebhookLogApi } from "./WebhookLogApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"

const TITLE = "Corridor"

export const Api = HttpApi.make("corridor")
  // In the order of the reference: payments, accounts, events, operations, people.
  .add(PaymentsInitApi)
  .add(PaymentsApi)
  .add(PaymentLinksApi)
  .add(RampsApi)
  .add(RatesApi)
  .add(BeneficiariesApi)
  .add(BankValidationApi)
  .add(NetworksApi)
  .add(VirtualAccountsApi)
  .add(EscrowApi)
  .add(BalancesApi)
  .add(ReservesApi)
  .add(FeesApi)
  .add(WebhooksApi)
  .add(WebhookLogApi)
  .add(ResolutionsApi)
  .add(RulesApi)
  .add(SavedViewsApi)
  .add(AnalyticsApi)
  .add(ProviderConfigsApi)
  .add(ApiKeysApi)
  .add(OrganizationsApi)
  .add(KybApi)
  .add(MembersApi)
  .add(InvitationsApi)
  .add(UsersApi)
  .add(SessionApi)
  .add(VerificationApi)
  .add(AuditLogApi)
  .addError(BadRequest)
  .addError(Unauthorized)
  .addError(Forbidden)
  .addError(TooManyRequests)
  .addError(ServiceUnavailable)
  .addError(InternalError)
  .prefix("/v1")
  .annotate(OpenApi.Title, TITLE)
  .annotate(OpenApi.Version, "1.0")
  .annotate(OpenApi.License, { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" })
  .annotate(OpenApi.Description, introduction)
