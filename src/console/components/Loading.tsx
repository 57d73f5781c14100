import type { ComponentChildren } from "preact"
import type { Loaded, PagedItems } from "../state/LoadHooks.ts"
import { type Problem, titleOf } from "../api/ApiResponse.ts"
import { Button, Icon } from "./Button.tsx"
import { orgId } from "../state/ConsoleSession.ts"
import { Page, Reload } from "./PageFrame.tsx"
import { type Empty, EmptyState, Table, type TableProps } from "./DataTable.tsx"

interface ProblemNoteProps {
  readonly problem: Problem
  readonly onRetry?: (() => void) | undefined
}

export const ProblemNote = ({ onRetry, problem }: ProblemNoteProps) => (
  <div class="problem" role="alert">
    <Icon name="warn" />
    <div>
      <strong>{titleOf(problem)}</strong>
      {problem.message !== "" && <p>{problem.message}</p>}
    </div>
    {onRetry !== undefined && problem.status !== 403 && (
      <Button icon="refresh" onClick={onRetry}>
        Try again
      </Button>
    )}
  </div>
)

/** Placeholder lines while data loads. */
export const Skeleton = ({ lines = 5 }: { readonly lines?: number }) => (
  <div class="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: lines }, (_, at) => (
      <span key={at} class={`line line-${at % 3}`} />
    ))}
  </div>
)

interface LoadingProps<A> {
  readonly loaded: Loaded<A>
  readonly lines?: number
  readonly children: (data: A) => ComponentChildren
}

/** Shows a placeholder, a problem, or the loaded data. */
export const Loading = <A,>({ children, lines = 5, loaded: { data, problem, reload } }: LoadingProps<A>) => {
  if (data !== undefined) return <>{children(data)}</>
  return problem === undefined ? <Skeleton lines={lines} /> : <ProblemNote problem={problem} onRetry={reload} />
}

interface PagedListProps<A> {
  readonly list: PagedItems<A>
  readonly empty: Empty
  /** Text of the button for more. */
  readonly moreName?: string
  readonly children: (items: ReadonlyArray<A>) => ComponentChildren
}

/** Shows a placeholder, a problem, an empty state, or the items with a button for more. */
export const PagedList = <A,>({ children, empty, list, moreName = "Show more" }: PagedListProps<A>) => {
  const { items, loading, more, problem, reload } = list
  return (
    <div class="listing" aria-busy={loading}>
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      <Reload.Provider value={reload}>
        {items === undefined ? (
          problem === undefined && <Skeleton lines={8} />
        ) : items.length === 0 ? (
          <EmptyState of={empty} />
        ) : (
          children(items)
        )}
      </Reload.Provider>
      {more !== undefined && (
        <p class="more">
          <Button busy={loading} onClick={more}>
            {moreName}
          </Button>
        </p>
      )}
    </div>
  )
}

interface PagedTableProps<A> extends Omit<TableProps<A>, "rows"> {
  readonly list: PagedItems<A>
  readonly empty: Empty
}

export const PagedTable = <A,>({ empty, list, ...table }: PagedTableProps<A>) => (
  <PagedList list={list} empty={empty}>
    {(rows) => <Table {...table} rows={rows} />}
  </PagedList>
)

interface LoadedPageProps<A> {
  /** Title until the data is loaded. */
  readonly title: string
  readonly above: readonly [href: string, name: string]
  readonly loaded: Loaded<A>
  readonly children: (data: A) => ComponentChildren
}

/** Page of one record; the record gives the title once it is loaded. */
export const LoadedPage = <A,>({ above, children, loaded, title }: LoadedPageProps<A>) =>
  loaded.data === undefined ? (
    <Page title={title} above={above}>
      <Loading loaded={loaded} lines={10}>
        {() => null}
      </Loading>
    </Page>
  ) : (
    <Reload.Provider value={loaded.reload}>{children(loaded.data)}</Reload.Provider>
  )

/** Shown to a platform admin on pages that need one organisation. */
export const ChooseOrgFirst = () => (
  <EmptyState of={["organization", "Choose an organisation", "Choose one at the end of the menu."]} />
)

interface OneOrgPageProps {
  readonly title: string
  readonly lead: string
  readonly children: (org: string) => ComponentChildren
}

/** Page of one organisation. */
export const OneOrgPage = ({ children, lead, title }: OneOrgPageProps) =>
  orgId.value === undefined ? (
    <Page title={title} lead={lead}>
      <ChooseOrgFirst />
    </Page>
  ) : (
    <>{children(orgId.value)}</>
  )
