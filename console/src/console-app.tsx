import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { App, ConfigProvider } from 'antd';
import enUS from 'antd/locale/en_US';
import zhCN from 'antd/locale/zh_CN';
import { useState } from 'react';
import { RouterProvider } from 'react-router';
import { ApiError } from './api/client.js';
import { SESSION_KEY } from './api/session.js';
import { LanguageProvider, useLanguage } from './i18n/language.js';
import { consoleRouter } from './routes.js';
import { antdTheme } from './theme/antd-theme.js';
import { ThemeProvider, useTheme } from './theme/theme.js';

export function ConsoleApp() {
  return (
    <LanguageProvider>
      <ThemeProvider>
        <Themed />
      </ThemeProvider>
    </LanguageProvider>
  );
}

function Themed() {
  const { language } = useLanguage();
  const { name } = useTheme();
  const [queries] = useState(newQueryClient);
  const [router] = useState(consoleRouter);
  return (
    <ConfigProvider
      locale={language === 'en' ? enUS : zhCN}
      theme={antdTheme(name)}
      wave={{ disabled: true }}
      // Else a button of two characters is not called what its label says.
      button={{ autoInsertSpace: false }}
    >
      <App component={false}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </App>
    </ConfigProvider>
  );
}

function newQueryClient(): QueryClient {
  const queries = new QueryClient({
    defaultOptions: {
      // What the service refuses it refuses again; one that is away may be back in a moment.
      queries: { retry: (failures, error) => !(error instanceof ApiError) && failures < 2, staleTime: 1_000 },
    },
  });
  // A session that ended shows itself in whatever is asked next.
  queries.getQueryCache().subscribe(({ type, query: { state, queryKey } }) => {
    const error: unknown = state.error;
    const isSession = (queryKey as readonly unknown[])[0] === SESSION_KEY[0];
    if (type !== 'updated' || isSession || state.fetchStatus !== 'idle') return;
    if (error instanceof ApiError && error.status === 401) void queries.invalidateQueries({ queryKey: SESSION_KEY });
  });
  return queries;
}
