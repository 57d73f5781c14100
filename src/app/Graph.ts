/**
 * The one graph of layers: services on their stores, on a foundation, on settings. The server, the commands, the tests and
 * the simulation differ only in the parts that they give it.
 */
import { Layer } from "effect"
import { Settings } from "../platform/config/Settings.ts"
import { foundationOn, type DatabaseLayer } from "./Foundation.ts"

export interface Parts<S, SE, SR, T, TE, TR, F, FE, FR, C, CE, CR> {
  readonly services: Layer.Layer<S, SE, SR>
  /** On PostgreSQL or in memory, perhaps with some that a test puts in their place. */
  readonly stores: Layer.Layer<T, TE, TR>
  /** The vault and ids, and for stores on PostgreSQL the connection. */
  readonly foundation: Layer.Layer<F, FE, FR>
  readonly settings: Layer.Layer<C, CE, CR>
}

/** Everything stays in sight, the stores and settings too. */
export const graphOf = <S, SE, SR, T, TE, TR, F, FE, FR, C, CE, CR>({
  foundation,
  services,
  settings,
  stores
}: Parts<S, SE, SR, T, TE, TR, F, FE, FR, C, CE, CR>) =>
  services.pipe(Layer.provideMerge(stores), Layer.provideMerge(foundation), Layer.provideMerge(settings))

/** On a database that is reached in the given way, with the settings of the environment. */
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
