/** Provider configurations, accounts and statistics, for commands that need no other part of the service. */
import { Layer } from "effect"
import { Analytics } from "../payments/analytics/Analytics.ts"
import { analyticsStoreSql } from "../payments/analytics/AnalyticsSql.ts"
import { AuditLog } from "../platform/audit/AuditLog.ts"
import { Secrets } from "../platform/secrets/Secrets.ts"
import { platformAccountStoreSql, providerAccountStoreSql } from "../providers/accounts/ProviderAccountStore.ts"
import { ProviderConfigsLive } from "../providers/configs/ProviderCredentials.ts"
import { providerConfigStoreSql } from "../providers/configs/ProviderConfigStore.ts"
import { type DatabaseLayer, graphOn } from "./Graph.ts"
import { RecordStoresLive } from "./RecordServices.ts"
import { ProviderSettingsLive } from "./SandboxFakes.ts"

const StoresLive = Layer.mergeAll(
  RecordStoresLive,
  analyticsStoreSql,
  platformAccountStoreSql,
  providerAccountStoreSql,
  providerConfigStoreSql
)

export const ProviderServices = Layer.merge(Analytics.layer, ProviderConfigsLive).pipe(
  Layer.provideMerge(Layer.merge(AuditLog.layer, Secrets.layer))
)

export const providerServicesOn = <E>(Connected: DatabaseLayer<E>) =>
  graphOn(Connected, { services: ProviderServices, stores: StoresLive, settings: ProviderSettingsLive })
