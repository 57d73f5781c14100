/** Hooks that load data: one request, a list page by page, or a whole list. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import {
  type BoundCall,
  callWith,
  getAll,
  getPage,
  type Group,
  type Item,
  type Name,
  type Request
} from "../api/ConsoleApi.ts"
import { type Cursor, type ListPage, Problem } from "../api/ApiResponse.ts"
import { nextPage } from "../../client/RequestRules.ts"
import { orgFilter, orgId } from "./ConsoleSession.ts"

export interface Loaded<A> {
  readonly data: A | undefined
  readonly problem: Problem | undefined
  readonly loading: boolean
  readonly reload: () => void
}

export const problemFrom = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem(-1, error instanceof Error ? error.message : String(error))

/** `get` stops when the page is left. Loads again when `about` changes, and every `every` milliseconds while the page is visible. */
export const useLoad = <A>(
  ask: (get: BoundCall) => Promise<A>,
  about: ReadonlyArray<unknown>,
  every?: number
): Loaded<A> => {
  const [state, setState] = useState<{ data?: A; problem?: Problem; loading: boolean }>({ loading: true })
  const [turn, setTurn] = useState(0)
  const latest = useRef(ask)
  latest.current = ask
  const subject = JSON.stringify(about)
  const shown = useRef(subject)

  useEffect(() => {
    const controller = new AbortController()
    const same = shown.current === subject
    shown.current = subject
    setState((before) => (same ? { ...before, loading: true } : { loading: true }))
    latest.current(callWith({ signal: controller.signal })).then(
      (data) => controller.signal.aborted || setState({ data, loading: false }),
      (error: unknown) => {
        if (!controller.signal.aborted)
          setState((before) => ({ ...before, problem: problemFrom(error), loading: false }))
      }
    )
    return () => controller.abort()
  }, [subject, turn])

  useEffect(() => {
    if (every === undefined) return undefined
    const timer = setInterval(() => document.hidden || setTurn((before) => before + 1), every)
    return () => clearInterval(timer)
  }, [every])

  return {
    data: state.data,
    problem: state.problem,
    loading: state.loading,
    reload: useCallback(() => setTurn((before) => before + 1), [])
  }
}

/** A list that grows page by page. */
export interface PagedItems<A> {
  readonly items: ReadonlyArray<A> | undefined
  readonly problem: Problem | undefined
  readonly loading: boolean
  /** Undefined on the last page. */
  readonly more: (() => void) | undefined
  /** Time back to which a search has read; undefined: it was not limited. */
  readonly searchedTo: string | undefined
  readonly reload: () => void
}

interface PagesState<A> {
  readonly items?: ReadonlyArray<A>
  readonly problem?: Problem
  /** Undefined on the last page. */
  readonly next?: Cursor | undefined
  readonly searchedTo?: string | undefined
  readonly loading: boolean
}

export const usePages = <A>(
  ask: (get: BoundCall, cursor: Cursor) => Promise<ListPage<A>>,
  about: ReadonlyArray<unknown>
): PagedItems<A> => {
  const [state, setState] = useState<PagesState<A>>({ loading: true })
  const [turn, setTurn] = useState(0)
  const controller = useRef<AbortController | undefined>(undefined)
  const subject = JSON.stringify(about)

  const fetchPage = (before: ReadonlyArray<A>, cursor: Cursor) => {
    controller.current?.abort()
    const { signal } = (controller.current = new AbortController())
    ask(callWith({ signal }), cursor).then(
      (page) => {
        if (signal.aborted) return
        const searchedTo = page.meta?.searched_to ?? undefined
        setState({ items: [...before, ...page.data], next: nextPage(page), searchedTo, loading: false })
      },
      (error: unknown) => {
        if (!signal.aborted) setState((last) => ({ ...last, problem: problemFrom(error), loading: false }))
      }
    )
  }

  useEffect(() => {
    setState(({ items }) => (turn === 0 || items === undefined ? { loading: true } : { items, loading: true }))
    fetchPage([], {})
    return () => controller.current?.abort()
  }, [subject, turn])

  const { items, loading, next, problem, searchedTo } = state
  const more =
    next &&
    (() => {
      setState((last) => ({ ...last, loading: true }))
      fetchPage(items ?? [], next)
    })
  return {
    items,
    problem,
    loading,
    searchedTo,
    more,
    reload: () => setTurn(turn + 1)
  }
}

/** List page by page. A new `version` loads it again. */
export const useList = <G extends Group, N extends Name<G>>(
  group: G,
  name: N,
  request: Request<G, N>,
  version?: unknown
): PagedItems<Item<G, N>> =>
  usePages(
    (get, cursor) => getPage(get, group, name, request, { limit: 25, ...cursor }),
    [group, name, request, version]
  )

const ofOrg = <G extends Group, N extends Name<G>>(filters: object = {}) =>
  ({ urlParams: { ...orgFilter(), ...filters } }) as Request<G, N>

/** The same of the chosen organisation. */
export const useOrgPages = <G extends Group, N extends Name<G>>(
  group: G,
  name: N,
  filters: object = {},
  version?: unknown
): PagedItems<Item<G, N>> => useList(group, name, ofOrg<G, N>(filters), [orgId.value, version])

/** Most options in a field; the newest come first. */
export const MAX_OPTIONS = 2000

/** A whole list of the chosen organisation, for fields that offer its items. Not `wanted`: nothing. */
export const useOrgItems = <G extends Group, N extends Name<G>>(
  group: G,
  name: N,
  wanted = true
): Loaded<ReadonlyArray<Item<G, N>>> =>
  useLoad(
    async (get) => (wanted ? getAll(get, group, name, ofOrg<G, N>(), ({ length }) => length >= MAX_OPTIONS) : []),
    [group, orgId.value, wanted]
  )
