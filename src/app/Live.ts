/** All services on a database, for the server and for commands that need everything. */
import { DatabaseConnectionLive, type DatabaseLayer } from "./Foundation.ts"
import { graphOn } from "./Graph.ts"
import { ProviderSettingsLive } from "./SandboxFakes.ts"
import { ServicesLive } from "./Services.ts"
import { StoresLive } from "./Stores.ts"

export const appOn = <E>(Connected: DatabaseLayer<E>) =>
  graphOn(Connected, { services: ServicesLive, stores: StoresLive, settings: ProviderSettingsLive })

export const AppLive = appOn(DatabaseConnectionLive)
