/**
 * The graph of layers: services on stores, on a foundation, on settings. Server, commands, tests and simulation differ
 * only in the parts they pass.
 */
import { Layer } from "effect"
import { Settings } from "../platform/config/Settings.ts"
import { foundationOn, type DatabaseLayer } from "./Foundation.ts"

export interface Parts<S, SE, SR, T, TE, TR, F, FE, FR, C, CE, CR> {
  readonly services: Layer.Layer<S, SE, SR>
  /** On PostgreSQL or in memory. */
  readonly stores: Layer.Layer<T, TE, TR>
  /** Vault and ids; for stores on PostgreSQL also the connection. */
  readonly foundation: Layer.Layer<F, FE, FR>
  readonly settings: Layer.Layer<C, CE, CR>
}

/** Exposes stores, foundation and settings too. */
export const graphOf = <S, SE, SR, T, TE, TR, F, FE, FR, C, CE, CR>({
  foundation,
  services,
  settings,
  stores
}: Parts<S, SE, SR, T, TE, TR, F, FE, FR, C, CE, CR>) =>
  services.pipe(Layer.provideMerge(stores), Layer.provideMerge(foundation), Layer.provideMerge(settings))

/** The graph on a PostgreSQL database, with the settings of the environment. */
export const graphOn = <S, SE, SR, T, TE, TR, C, CE, CR, E>(
  Connected: DatabaseLayer<E>,
  {
    services,
    settings,
    stores
  }: Pick<Parts<S, SE, SR, T, TE, TR, never, never, never, C, CE, CR>, "services" | "stores" | "settings">
) =>
  graphOf({
    services,
    stores,
    foundation: foundationOn(Connected),
    settings: Layer.provideMerge(settings, Settings.layer)
  })
