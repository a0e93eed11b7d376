import { settingsRoutes } from '@tollgate/contract/settings/settings.ts'
import { Link } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { useApiQuery } from '../api/use-api.ts'
import { paths } from '../paths.ts'
import { buttonClass } from '../ui/Button.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Card } from '../ui/Card.tsx'
import { Skeleton } from '../ui/States.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { useUrlState } from '../url-state.ts'
import { GlobalRateCard, globalRateHeight } from '../rates/GlobalRateCard.tsx'
import { settingsSearch } from '../rates/search.ts'
import { globalRateKey } from './groups.ts'
import { SettingsList } from './SettingsList.tsx'
import { UserRatesTable } from '../rates/UserRatesTable.tsx'
import { SubscriberCard } from '../subscribers/SubscriberCard.tsx'
import { WhatIfCard } from '../billing/WhatIfCard.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { t } from '../language/t.ts'

export function AdminSettingsPage() {
  const url = useUrlState(settingsSearch)
  const settings = useApiQuery(settingsRoutes.listSettings)
  const globalRate = settings.data?.find(({ settingKey }) => settingKey === globalRateKey)
  const failure = settings.error && <FetchFailure of={settings} title={t('Failed to fetch settings')} />
  return (
    <>
      <PageHeader
        title={t('Admin Settings')}
        actions={
          <Link to={paths.auditLog} className={buttonClass('ghost')}>
            <ScrollText size={16} strokeWidth={1.6} aria-hidden="true" />
            {t('Audit Log')}
          </Link>
        }
      >
        {t('What clients earn, and how the gateway behaves')}
      </PageHeader>
      <Tabs
        label={t('Settings')}
        value={url.state.tab}
        onChange={(tab) => url.set({ tab }, true)}
        tabs={[
          {
            value: 'rates',
            label: t('SMS Rates'),
            content: (
              <div className="space-y-4">
                {failure ??
                  (globalRate ? (
                    <GlobalRateCard setting={globalRate} />
                  ) : (
                    <WaitingCard title={t('Global SMS Rate')} className={globalRateHeight} />
                  ))}
                <WhatIfCard />
                <div className="max-w-80">
                  <SearchBox
                    placeholder={t('Search users...')}
                    value={url.state.search}
                    onSearch={(search) => url.set({ search })}
                  />
                </div>
                <UserRatesTable url={url} />
              </div>
            ),
          },
          {
            value: 'settings',
            label: t('Settings'),
            content:
              failure ??
              (settings.data ? (
                <div className="space-y-4">
                  <SettingsList
                    settings={settings.data}
                    find={url.state.find}
                    onFind={(find) => url.set({ find })}
                  />
                  {url.state.find === '' && <SubscriberCard />}
                </div>
              ) : (
                <WaitingCard title={t('Settings')} />
              )),
          },
        ]}
      />
    </>
  )
}

function WaitingCard({ title, className = '' }: { title: string; className?: string }) {
  return (
    <Card title={title} className={className}>
      <div className="space-y-2.5">
        <Skeleton className="h-7 w-32" />
        <Skeleton className="h-4 w-72 max-w-full" />
      </div>
    </Card>
  )
}
