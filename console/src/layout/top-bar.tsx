import { BgColorsOutlined, GlobalOutlined, MenuOutlined, UserOutlined } from '@ant-design/icons';
import { Button, Dropdown } from 'antd';
import { useNavigate } from 'react-router';
import { useSignOut } from '../api/session.js';
import { LANGUAGES, useLanguage, type Language } from '../i18n/language.js';
import { useUser } from '../session/session.js';
import { useTheme, type ThemeChoice } from '../theme/theme.js';
import { FindBox } from './find-box.js';

export function TopBar({ isMenuOpen, onMenu }: { isMenuOpen: boolean; onMenu: () => void }) {
  const { text } = useLanguage();
  return (
    <header className="top">
      <Button
        className="menu-button"
        icon={<MenuOutlined aria-hidden />}
        aria-label={text.nav.menu}
        aria-expanded={isMenuOpen}
        aria-controls="navigation"
        onClick={onMenu}
      />
      <FindBox />
      <div className="spacer" />
      <LanguageMenu />
      <ThemeMenu />
      <AccountMenu />
    </header>
  );
}

export function LanguageMenu() {
  const { language, text, choose } = useLanguage();
  const items = Object.entries(LANGUAGES).map(([key, label]) => ({ key, label }));
  return (
    <Dropdown
      autoFocus
      placement="bottomRight"
      trigger={['click']}
      menu={{ items, selectedKeys: [language], onClick: ({ key }) => choose(key as Language) }}
    >
      <Button type="text" icon={<GlobalOutlined aria-hidden />} aria-label={text.header.language} />
    </Dropdown>
  );
}

export function ThemeMenu() {
  const { text } = useLanguage();
  const { choice, choose } = useTheme();
  const items = Object.entries(text.header.themes).map(([key, label]) => ({ key, label }));
  return (
    <Dropdown
      autoFocus
      placement="bottomRight"
      trigger={['click']}
      menu={{ items, selectedKeys: [choice], onClick: ({ key }) => choose(key as ThemeChoice) }}
    >
      <Button type="text" icon={<BgColorsOutlined aria-hidden />} aria-label={text.header.theme} />
    </Dropdown>
  );
}

function AccountMenu() {
  const { text } = useLanguage();
  const { name, role } = useUser();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const items = [
    { key: 'who', label: `${name} · ${text.roles[role]}`, disabled: true },
    { key: 'password', label: text.header.changePassword },
    { key: 'out', label: text.header.signOut },
  ];
  return (
    <Dropdown
      autoFocus
      placement="bottomRight"
      trigger={['click']}
      menu={{ items, onClick: ({ key }) => (key === 'out' ? signOut.mutate() : void navigate('/password')) }}
    >
      <Button type="text" icon={<UserOutlined aria-hidden />} aria-label={text.header.account(name)} />
    </Dropdown>
  );
}
