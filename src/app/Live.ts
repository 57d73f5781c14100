/** Everything that the server and the CLI share, on a database. */
import { DatabaseConnectionLive, type DatabaseLayer } from "./Foundation.ts"
import { graphOn } from "./Graph.ts"
import { ProviderSettingsLive } from "./SandboxFakes.ts"
import { ServicesLive } from "./Services.ts"
import { StoresLive } from "./Stores.ts"

/** Everything, on a database that is reached in the given way. */
export const appOn = <E>(Connected: DatabaseLayer<E>) =>
  graphOn(Connected, { services: ServicesLive, stores: StoresLive, settings: ProviderSettingsLive })

export const AppLive = appOn(DatabaseConnectionLive)
