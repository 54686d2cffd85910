"""The watch that every test of this folder stands under: it does see what a page should not do."""


def test_a_request_to_another_host_a_dialog_and_an_error_are_complained_about(open_walk):
    walk = open_walk("example=three-words")
    assert walk.complaints() == []
    walk.page.evaluate(
        """() => new Promise((done) => {
            document.addEventListener('securitypolicyviolation', done, { once: true });
            document.body.append(Object.assign(new Image(), { src: 'http://192.0.2.1/x.png' }));
        })"""
    )
    with walk.page.expect_event("pageerror"):
        walk.page.evaluate("() => { setTimeout(() => { throw new Error('seen') }); }")
    walk.page.evaluate("() => alert('heard')")
    complaints = walk.complaints()
    for told in ("CSP: img-src http://192.0.2.1", "seen", "heard"):
        assert any(told in complaint for complaint in complaints), told
    for heard in (walk.hosts, walk.said, walk.dialogs):
        heard.clear()


def test_no_script_style_or_frame_may_be_added_to_the_page(open_walk):
    walk = open_walk("example=three-words")
    refused = walk.page.evaluate(
        """async () => {
            const refused = [];
            document.addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
            const add = (name, properties) =>
                document.body.append(Object.assign(document.createElement(name), properties));
            add('script', { textContent: 'document.body.dataset.ran = 1' });
            add('style', { textContent: 'body { display: none }' });
            add('iframe', { src: 'http://192.0.2.1/' });
            await fetch('http://192.0.2.1/').catch(() => {});
            while (refused.length < 4) await new Promise(requestAnimationFrame);
            return refused.sort();
        }"""
    )
    assert refused == ["connect-src", "frame-src", "script-src-elem", "style-src-elem"]
    assert walk.page.evaluate("document.body.dataset.ran") is None
    for heard in (walk.hosts, walk.said, walk.dialogs):
        heard.clear()
